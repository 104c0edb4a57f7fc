// src/workflows/resampling.h: sequences of different lengths made comparable step by step.
#pragma once

#include <cstddef>
#include <span>

#include "formats/sequence.h"

namespace rwa::workflows {

// Fills `out`, [steps][width], with the numbers of a sequence, linearly interpolated between its
// steps; the first and the last stay. Without steps: zeros.
void resample(const formats::Sequence& sequence, std::size_t width, std::span<float> out);

}  // namespace rwa::workflows

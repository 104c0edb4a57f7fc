// src/datasets/continued.h: series of validation and test files that go on where the training files
// end.
#pragma once

#include <span>
#include <vector>

#include "formats/sequence.h"

namespace rwa::datasets {

// Puts the steps of the training series with the same id before each series that begins after it
// ends. Returns for each of the others the first step that the training files do not have; 0 if it
// is another series, or has no later steps.
std::vector<int> continue_series(std::span<const formats::Sequence> trained,
                                 std::vector<formats::Sequence>& others);

}  // namespace rwa::datasets

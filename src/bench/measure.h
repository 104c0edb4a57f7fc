// src/bench/measure.h: times our own network in this process.
#pragma once

#include "bench/plan.h"
#include "bench/sample.h"

namespace rwa::bench {

// Calls for about `seconds` after a warm-up. The memory is the peak of the whole process, or what is
// held of the GPU's.
Sample measure(const Case& what, double seconds);

}  // namespace rwa::bench

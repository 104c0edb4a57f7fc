// src/bench/measure.h: times our own network in this process.
#pragma once

#include "bench/plan.h"
#include "bench/sample.h"

namespace rwa::bench {

// Calls for about `seconds` after a warm-up. The memory peak is that of the whole process.
Sample measure(const Case& what, double seconds);

}  // namespace rwa::bench

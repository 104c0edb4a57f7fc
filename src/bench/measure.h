// src/bench/measure.h: times rwa's own networks in this process. Child processes and the peers'
// helper programs report a measurement as one line of JSON in the same format.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "bench/plan.h"

namespace rwa::bench {

struct Sample {
  double us_per_step = 0;
  std::int64_t peak_bytes = 0;
};

std::string to_line(const Sample& sample);
// Empty if the line is not a valid sample or its time is not positive and finite.
std::optional<Sample> parse_sample(const std::string& line);

// Measures for about `seconds` after a warm-up. peak_bytes is the process's peak memory or, on a
// GPU, the device memory in use.
Sample measure(const Case& what, double seconds);

}  // namespace rwa::bench

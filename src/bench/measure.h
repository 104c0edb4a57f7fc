// src/bench/measure.h: times our own network in this process. The answer of one measurement is a
// line of JSON between processes: our own children and the helper programs of the peers speak the
// same language.
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
// Nothing when the line is no answer, or its time is not a positive number.
std::optional<Sample> parse_sample(const std::string& line);

// Calls for about `seconds` after a warm-up. The memory is the peak of the whole process, or what
// is held of the GPU's.
Sample measure(const Case& what, double seconds);

}  // namespace rwa::bench

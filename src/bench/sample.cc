// src/bench/sample.cc: keys that are not known are skipped, since helpers also say what they ran.
#include "bench/sample.h"

#include <cmath>

#include <nlohmann/json.hpp>

namespace rwa::bench {

std::string to_line(const Sample& sample) {
  return nlohmann::json{{"us_per_step", sample.us_per_step}, {"peak_bytes", sample.peak_bytes}}
             .dump() +
         "\n";
}

std::optional<Sample> parse_sample(const std::string& line) {
  try {
    const auto json = nlohmann::json::parse(line);
    const Sample sample{json.at("us_per_step").get<double>(),
                        json.at("peak_bytes").get<std::int64_t>()};
    if (std::isfinite(sample.us_per_step) && sample.us_per_step > 0) return sample;
  } catch (const nlohmann::json::exception&) {
    // Not JSON, or not these keys: no answer either way.
  }
  return std::nullopt;
}

}  // namespace rwa::bench

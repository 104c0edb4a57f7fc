// cli/words.h: numbers, times and scores as people read them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "training/experiment.h"
#include "training/run_folder.h"

namespace rwa::cli {

std::string count(std::int64_t number);             // 250,000
std::string duration(double seconds);               // 45s, 4m05s, 2h10m, 3d04h
std::string loss(const training::Metric& metric);   // "0.0123 mse"
std::string score(const training::Metric& metric);  // "98.0 %", "0.0123 mse"

// Seconds of a text such as "90", "9m" or "1h30m"; nothing where it is none, or not more than 0.
std::optional<double> parse_duration(std::string_view text);

// Such as "grammar rwa seed 1", or "grammar (script) lstm seed 2".
std::string title(const training::Experiment& experiment);

}  // namespace rwa::cli

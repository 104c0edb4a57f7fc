// cli/say.h: what the program says to people, on standard error, and how numbers, times and scores
// read. A standard error that is closed is no reason to end the work.
#pragma once

#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "training/experiment.h"
#include "training/run_folder.h"

namespace rwa::cli {

// Of several ranks one speaks for all.
inline bool speaks_for_all = true;

template <class... Args>
void say_here(fmt::format_string<Args...> text, Args&&... args) {
  std::fputs(fmt::format(text, std::forward<Args>(args)...).c_str(), stderr);
}

template <class... Args>
void say(fmt::format_string<Args...> text, Args&&... args) {
  if (speaks_for_all) say_here(text, std::forward<Args>(args)...);
}

std::string count(std::int64_t number);             // 250,000
std::string duration(double seconds);               // 45s, 4m05s, 2h10m, 3d04h
std::string loss(const training::Metric& metric);   // "0.0123 mse"
std::string score(const training::Metric& metric);  // "98.0 %", "0.0123 mse"

// Seconds of a text such as "90", "9m" or "1h30m"; nothing where it is none, or not more than 0.
std::optional<double> parse_duration(std::string_view text);

// Such as "grammar rwa seed 1", or "grammar (script) lstm seed 2".
std::string title(const training::Experiment& experiment);

}  // namespace rwa::cli

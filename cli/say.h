// cli/say.h: messages on standard error, and the format of numbers, times and scores. Failures to
// write messages are ignored, so that a closed standard error does not end the work.
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "training/experiment.h"
#include "training/run_folder.h"

namespace rwa::cli {

// False on all ranks but one.
inline bool speaks_for_all = true;

template <class... Args>
void say_here(fmt::format_string<Args...> text, Args&&... args) {
  std::fputs(fmt::format(text, std::forward<Args>(args)...).c_str(), stderr);
}

template <class... Args>
void say(fmt::format_string<Args...> text, Args&&... args) {
  if (speaks_for_all) say_here(text, std::forward<Args>(args)...);
}

// Says which file was written; nothing for an empty path, which is standard output.
inline void say_written(const std::filesystem::path& file) {
  if (!file.empty()) say("wrote {}\n", file.string());
}

std::string count(std::int64_t number);             // 250,000
std::string duration(double seconds);               // under 1s, 45s, 4m05s, 2h10m, 3d04h
std::string loss(const training::Metric& metric);   // "0.0123 MSE"
std::string score(const training::Metric& metric);  // "98.0 %", "0.0123 MSE"

// Returns the seconds of a text such as "90", "9m" or "1h30m"; empty if it is malformed or not more
// than 0.
std::optional<double> parse_duration(std::string_view text);

// For example "grammar rwa seed 1" or "grammar (script) lstm seed 2".
std::string title(const training::Experiment& experiment);

}  // namespace rwa::cli

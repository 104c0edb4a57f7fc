// src/formats/usual_names.h: names that columns and attributes usually have, by their roles.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/parse.h"

namespace rwa::formats {

// Matched without case, in order of preference.
inline constexpr std::array<std::string_view, 12> kIdNames{
    "id",      "series", "series_id", "series_name", "sequence_id", "case",
    "case_id", "sample", "sample_id", "unit",        "uid",         "subject"};
inline constexpr std::array<std::string_view, 2> kIdOrTextNames{"sequence", "name"};
inline constexpr std::array<std::string_view, 4> kTextNames{"text", "sequence", "seq", "sentence"};
inline constexpr std::array<std::string_view, 6> kTimeNames{"t",    "time", "timestamp",
                                                            "step", "date", "datetime"};
inline constexpr std::array<std::string_view, 8> kIndexNames{
    "index", "unnamed: 0", "rownames", "row", "no", "nr", "#", "...1"};
inline constexpr std::array<std::string_view, 4> kTargetNames{"target", "label", "labels", "class"};
inline constexpr std::array<std::string_view, 1> kTargetOrDirectionNames{"y"};

inline bool is_usual(std::string_view name, std::span<const std::string_view> names) {
  return std::ranges::any_of(names, [&](auto known) { return same_letters(name, known); });
}

// Returns the place of a name that the options give. Throws ConfigError, with the nearest name, if
// it is unknown: FILE: has no KIND "x".
std::size_t find_named(const std::string& name, const std::vector<std::string>& names,
                       std::string_view kind, std::string_view file);

}  // namespace rwa::formats

// src/formats/table_names.h: what columns of tables are usually called, in any case.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "formats/words.h"

namespace rwa::formats {

// In the order in which they are looked for.
inline constexpr std::array<std::string_view, 11> kIdNames{
    "id",     "series",    "series_id", "sequence_id", "case",   "case_id",
    "sample", "sample_id", "unit",      "uid",         "subject"};
inline constexpr std::array<std::string_view, 2> kIdOrTextNames{"sequence", "name"};
inline constexpr std::array<std::string_view, 4> kTextNames{"text", "sequence", "seq", "sentence"};
inline constexpr std::array<std::string_view, 6> kTimeNames{"t",    "time", "timestamp",
                                                            "step", "date", "datetime"};
inline constexpr std::array<std::string_view, 4> kTargetNames{"target", "label", "labels", "class"};
inline constexpr std::array<std::string_view, 1> kTargetOrDirectionNames{"y"};

inline bool is_one_of(std::string_view name, std::span<const std::string_view> names) {
  return std::ranges::any_of(names, [&](auto known) { return same_letters(name, known); });
}

}  // namespace rwa::formats

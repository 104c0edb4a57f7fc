// src/base/names.h: a table of an enumeration's values and their names, and both ways through it.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rwa/errors.h"

namespace rwa {

template <class Enum, std::size_t N>
using Names = std::array<std::pair<Enum, std::string_view>, N>;

template <class Enum, std::size_t N>
std::string_view name_of(const Names<Enum, N>& names, std::string_view what, Enum value) {
  for (const auto& [known, name] : names) {
    if (known == value) return name;
  }
  throw ConfigError(fmt::format("there is no {} number {}", what, static_cast<int>(value)));
}

template <class Enum, std::size_t N>
Enum parse_name(const Names<Enum, N>& names, std::string_view what, std::string_view text) {
  std::array<std::string_view, N> known;
  for (std::size_t i = 0; i < N; ++i) {
    if (names[i].second == text) return names[i].first;
    known[i] = names[i].second;
  }
  throw ConfigError(
      fmt::format("unknown {} '{}', expected one of: {}", what, text, fmt::join(known, ", ")));
}

}  // namespace rwa

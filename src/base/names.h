// src/base/names.h: maps the values of an enumeration to names and back.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rwa/errors.h"
#include "rwa/types.h"

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

// Whether a name that a user wrote is this one: in any case, and with _ for -.
bool is_name(std::string_view written, std::string_view name);

template <class Enum, std::size_t N>
Enum parse_name(const Names<Enum, N>& names, std::string_view what, std::string_view text) {
  std::array<std::string_view, N> known;
  for (std::size_t i = 0; i < N; ++i) {
    if (is_name(text, names[i].second)) return names[i].first;
    known[i] = names[i].second;
  }
  throw ConfigError(
      fmt::format("unknown {} '{}', expected one of: {}", what, text, fmt::join(known, ", ")));
}

// Returns all names of an enumeration whose values count from 0.
template <class Enum>
std::vector<std::string> all_names() {
  std::vector<std::string> names;
  try {
    while (true) names.emplace_back(to_string(static_cast<Enum>(names.size())));
  } catch (const ConfigError&) {  // past the last value
    return names;
  }
}

// Called by io/fields.h to read an enumeration.
inline void from_name(std::string_view name, Cell& value) { value = parse_cell(name); }
inline void from_name(std::string_view name, Activation& value) { value = parse_activation(name); }
inline void from_name(std::string_view name, Input& value) { value = parse_input(name); }
inline void from_name(std::string_view name, Readout& value) { value = parse_readout(name); }
inline void from_name(std::string_view name, Loss& value) { value = parse_loss(name); }
inline void from_name(std::string_view name, Memory& value) { value = parse_memory(name); }

}  // namespace rwa

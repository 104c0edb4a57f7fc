// src/base/repeated.h: finds what a list has twice.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

namespace rwa {

// Returns a value that occurs more than once; empty if all differ.
template <class T>
std::optional<T> repeated(std::vector<T> values) {
  std::ranges::sort(values);
  const auto found = std::ranges::adjacent_find(values);
  return found == values.end() ? std::nullopt : std::optional(*found);
}

}  // namespace rwa

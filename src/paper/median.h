// src/paper/median.h
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace rwa::paper {

// Of at least one number.
inline double median(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

}  // namespace rwa::paper

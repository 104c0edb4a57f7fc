// src/datasets/moment.h: means and deviations that stay exact for large values with small
// differences, and that can be joined.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace rwa::datasets {

// A number of values, their mean and their sum of squared deviations from it.
struct Moment {
  double count = 0, mean = 0, squares = 0;

  void add(const Moment& others);
  // Of constant values: 1.
  [[nodiscard]] double deviation() const;
};

// Returns the moment of each column of rows, [·,columns], ignoring missing values (NaN).
std::vector<Moment> moments_of(std::span<const float> rows, std::size_t columns);

}  // namespace rwa::datasets

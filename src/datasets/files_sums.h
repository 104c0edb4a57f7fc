// src/datasets/files_sums.h: sums over the sequences of a subset. Means, scales and frequencies of
// any union of subsets follow without reading the data again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "datasets/encoding.h"

namespace rwa::datasets {

// The mean and the sum of squared deviations of each column, ignoring missing values. Numerically
// stable for large values with small differences.
class Moments {
 public:
  void add(std::span<const float> rows, std::size_t columns);  // [·,columns]
  void add(const Moments& others);

  [[nodiscard]] Normal normal(std::size_t columns) const;
  // Returns the squared error of the mean baseline in units of normal(), averaged over the columns.
  [[nodiscard]] double naive_error(std::size_t columns) const;

 private:
  struct Column {
    double count = 0, mean = 0, squares = 0;
  };
  static void add(const Column& others, Column& column);

  std::vector<Column> columns_, part_;  // totals, and those of the rows being added
};

// Frequencies of the numbers 0, 1, ….
class Counts {
 public:
  void add(std::int32_t number, std::int64_t times = 1);
  void add(const Counts& others);
  [[nodiscard]] std::int64_t of(std::size_t number) const {
    return number < counts_.size() ? counts_[number] : 0;
  }
  [[nodiscard]] std::size_t size() const { return counts_.size(); }

 private:
  std::vector<std::int64_t> counts_;
};

struct Sums {
  std::int64_t samples = 0;
  std::int64_t steps = 0;     // seen by the network
  int longest = 0;            // length seen by the network
  Moments features, targets;  // of whole sequences, before cutting into windows
  // Frequencies of the vocabulary's labels as targets, and of its symbols as targets of a forecast.
  Counts labels, symbols;
  Counts seen;  // frequencies of the vocabulary's symbols, before cutting into windows

  void add(const Sums& others);
};

// Returns the majority-class or mean baseline, in bits or squared deviations. Symbols are numbered
// as in the encoding.
Naive naive_of(const Encoding& encoding, const Sums& sums);

}  // namespace rwa::datasets

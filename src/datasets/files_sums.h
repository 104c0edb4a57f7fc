// src/datasets/files_sums.h: sums over the sequences of a subset. Means, scales and frequencies of
// any union of subsets follow without reading the data again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "datasets/encoding.h"
#include "datasets/moment.h"
#include "datasets/own_scale_sums.h"

namespace rwa::datasets {

// The moments of each column, ignoring missing values.
class Moments {
 public:
  void add(std::span<const float> rows, std::size_t columns);  // [·,columns]
  void add(const Moments& others);

  [[nodiscard]] Normal normal(std::size_t columns) const;
  // Return the squared error of the mean baseline, averaged over the columns: in units of normal(),
  // or of the numbers themselves.
  [[nodiscard]] double naive_error(std::size_t columns) const;
  [[nodiscard]] double variance(std::size_t columns) const;

 private:
  std::vector<Moment> columns_;
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
  OwnScaleSums own;           // of the samples
  // Frequencies of the vocabulary's labels as targets, and of its symbols as targets of a forecast.
  Counts labels, symbols;
  Counts seen;  // frequencies of the vocabulary's symbols, before cutting into windows

  void add(const Sums& others);
};

// Returns the majority-class or mean baseline, in bits or squared deviations. Symbols are numbered
// as in the encoding.
Naive naive_of(const Encoding& encoding, const Sums& sums);

}  // namespace rwa::datasets

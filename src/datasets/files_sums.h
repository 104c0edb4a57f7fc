// src/datasets/files_sums.h: what is summed up over the sequences of a part of a data set, so that
// means, scales and shares of any union of parts are known without reading them again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "datasets/encoding.h"

namespace rwa::datasets {

// Of each column of numbers, those that are missing left out: the mean and the squared deviations
// from it, kept such that large numbers that differ little lose nothing.
class Moments {
 public:
  void add(std::span<const float> rows, std::size_t columns);  // [·,columns]
  void add(const Moments& others);

  [[nodiscard]] Normal normal(std::size_t columns) const;
  // What is left of their squares when the mean of each is known, in units of normal(): the mean
  // over the columns.
  [[nodiscard]] double naive_error(std::size_t columns) const;

 private:
  struct Column {
    double count = 0, mean = 0, squares = 0;
  };
  static void add(const Column& others, Column& column);

  std::vector<Column> columns_, part_;  // of all, and of the rows that are being added
};

// How often each number was counted.
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
  std::int64_t steps = 0;     // that the network sees
  int longest = 0;            // likewise
  Moments features, targets;  // of the sequences as the files have them, before they are cut
  // How often each of the vocabulary's is an answer: of labels, and of the symbols of a forecast.
  Counts labels, symbols;

  void add(const Sums& others);
};

// The baseline of guessing by the shares of the answers alone, in bits or squared deviations.
Naive naive_of(const Encoding& encoding, const Sums& sums);

}  // namespace rwa::datasets

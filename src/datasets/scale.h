// src/datasets/scale.h: how the numbers of sequences are scaled: over the training data, or each
// sequence by itself.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace rwa::datasets {

enum class Scale {
  kData,      // mean 0 and deviation 1 over the training data
  kSequence,  // mean 0 and deviation 1 over each sequence
  kNone,      // as they are
};
std::string_view to_string(Scale scale);
Scale parse_scale(std::string_view name);
inline void from_name(std::string_view name, Scale& value) { value = parse_scale(name); }

// Standardisation: (x - mean) / scale has mean 0 and deviation 1 over the training data. The scale
// of a constant column is 1.
struct Normal {
  std::vector<double> mean = {}, scale = {};

  friend bool operator==(const Normal&, const Normal&) = default;
};

// A deviation of less than this share of the mean is the rounding error of a constant: floats have
// seven digits.
inline constexpr double kRounding = 1e-6;

// One feature over the steps of a sequence, ignoring missing values.
struct Level {
  double count = 0, mean = 0;
  double deviation = 0;  // 0 if it is a rounding error
};
std::vector<Level> levels_of(std::span<const float> x, std::size_t features);  // x: [T,D]

// Standardises each sequence by itself. Its means and the logarithms of its deviations, which this
// removes, become inputs of their own: constant over the steps, standardised over the training data.
struct OwnScale {
  static constexpr std::size_t kInputs = 3;  // of each feature

  std::vector<double> least = {};      // deviations; a smaller one counts as this
  Normal means = {}, deviations = {};  // of the sequences' means and logarithms of deviations

  // Returns the rows of a sequence x, [T,D]: D standardised numbers, D means, D deviations. Missing
  // numbers become the mean of the sequence.
  [[nodiscard]] std::vector<float> rows(std::span<const float> x) const;

  friend bool operator==(const OwnScale&, const OwnScale&) = default;
};

}  // namespace rwa::datasets

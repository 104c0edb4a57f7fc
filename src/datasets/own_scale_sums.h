// src/datasets/own_scale_sums.h: means and deviations of sequences, each by itself, summed up. The
// scale of any union of subsets follows without reading the data again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "datasets/moment.h"
#include "datasets/scale.h"

namespace rwa::datasets {

class OwnScaleSums {
 public:
  // Adds a sequence, [T,features].
  void add(std::span<const float> x, std::size_t features);
  void add(const OwnScaleSums& others);

  [[nodiscard]] OwnScale scale(std::size_t features) const;
  // Returns how much the deviations of sequences differ: the ratio of their 90th to their 10th
  // percentile, of the feature in which it is largest. Constant sequences do not count. Empty if
  // fewer than ten are left.
  [[nodiscard]] std::optional<double> spread() const;

 private:
  struct Feature {
    Moment means;
    Moment constant;                // sequences; only the count is used
    std::map<int, Moment> varying;  // logarithms of deviations, in bins

    [[nodiscard]] double count() const;
    // The deviation at this share of the varying sequences, in ascending order.
    [[nodiscard]] double percentile(double share) const;
  };

  std::vector<Feature> features_;
};

}  // namespace rwa::datasets

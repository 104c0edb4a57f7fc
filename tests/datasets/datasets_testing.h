// tests/datasets/datasets_testing.h: makes batches and reads their elements.
#pragma once

#include <cmath>
#include <cstdint>
#include <numeric>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "datasets/dataset.h"

namespace rwa::datasets {

inline Batch fill(const Dataset& data, Split split, const std::vector<std::int64_t>& samples) {
  Batch batch;
  data.fill(split, samples, batch);
  return batch;
}

inline Batch fill_first(const Dataset& data, Split split, std::int64_t count) {
  std::vector<std::int64_t> samples(static_cast<std::size_t>(count));
  std::iota(samples.begin(), samples.end(), 0);
  return fill(data, split, samples);
}

// The row of step t of sequence b in arrays [T,B,·].
inline std::size_t row(const Batch& batch, int t, std::size_t b) {
  return static_cast<std::size_t>(t) * batch.lengths.size() + b;
}

inline float input(const Batch& batch, const Dataset& data, int t, std::size_t b, int feature) {
  return batch.x.at(row(batch, t, b) * data.shape().inputs + feature);
}

// Returns the feature that is 1 in a one-hot row; -1 if the row is not one-hot.
inline int hot(const Batch& batch, const Dataset& data, int t, std::size_t b) {
  int found = -1;
  for (int feature = 0; feature < data.shape().inputs; ++feature) {
    const float value = input(batch, data, t, b, feature);
    if (value == 0) continue;
    if (value != 1 || found >= 0) return -1;
    found = feature;
  }
  return found;
}

// Expects `found` of `trials` with this probability, to within four standard deviations.
inline void expect_share(int found, int trials, double probability, std::string_view what) {
  EXPECT_NEAR(found, trials * probability, 4 * std::sqrt(trials * probability * (1 - probability)))
      << what << " of " << trials;
}

}  // namespace rwa::datasets

// tests/datasets/scale_test.cc: compares sequences that are standardised each by itself with a slow
// computation.
#include "datasets/scale.h"

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "support/random_data.h"

namespace rwa::datasets {
namespace {

constexpr float kMissing = std::numeric_limits<float>::quiet_NaN();

OwnScale two_features() {
  return {.least = {0.01, 0.5},
          .means = {.mean = {3, -1}, .scale = {2, 4}},
          .deviations = {.mean = {0.5, -2}, .scale = {1.5, 3}}};
}

// A column of a sequence, without missing values.
std::vector<double> column(const std::vector<float>& x, std::size_t feature) {
  std::vector<double> values;
  for (std::size_t i = feature; i < x.size(); i += 2) {
    if (!std::isnan(x[i])) values.push_back(x[i]);
  }
  return values;
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double deviation(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += std::pow(value - mean(values), 2);
  return std::sqrt(sum / static_cast<double>(values.size()));
}

void expect_by_definition(const std::vector<float>& x, const OwnScale& own) {
  const std::vector<float> rows = own.rows(x);
  ASSERT_EQ(rows.size(), 3 * x.size());
  for (std::size_t t = 0; t < x.size() / 2; ++t) {
    for (std::size_t i = 0; i < 2; ++i) {
      const double middle = mean(column(x, i));
      const double spread = std::max(deviation(column(x, i)), own.least[i]);
      const double number = std::isnan(x[2 * t + i]) ? 0 : (x[2 * t + i] - middle) / spread;
      EXPECT_NEAR(rows[6 * t + i], number, 1e-5);
      EXPECT_NEAR(rows[6 * t + 2 + i], (middle - own.means.mean[i]) / own.means.scale[i], 1e-5);
      EXPECT_NEAR(rows[6 * t + 4 + i],
                  (std::log(spread) - own.deviations.mean[i]) / own.deviations.scale[i], 1e-5);
    }
  }
}

TEST(OwnScale, StandardisesASequenceByItself) {
  std::vector<float> x = RandomData(7).normal<float>(40);
  for (std::size_t i = 0; i < x.size(); i += 2) x[i] = 1000 * x[i] + 50;
  expect_by_definition(x, two_features());
}

TEST(OwnScale, LeavesOutMissingNumbers) {
  std::vector<float> x = RandomData(8).normal<float>(20);
  x[0] = x[7] = x[8] = kMissing;
  expect_by_definition(x, two_features());
}

TEST(OwnScale, AFeatureWithoutNumbersIsAtTheMean) {
  const std::vector<float> rows = two_features().rows({{kMissing, 1, kMissing, 2}});
  for (const std::size_t i : {0, 2, 4, 6, 8, 10}) EXPECT_EQ(rows[i], 0) << i;
}

// The deviation of 0 counts as the least one, so that its logarithm is finite.
TEST(OwnScale, AConstantSequenceHasNumbersOfZero) {
  expect_by_definition({5, 7, 5, 7, 5, 7}, two_features());
  expect_by_definition({5, 7}, two_features());
}

TEST(OwnScale, ASmallDeviationIsNotBlownUp) {
  expect_by_definition({1, 0.001F, 1.5F, 0, 2, 0.002F}, two_features());
}

TEST(OwnScale, RoundingErrorsAreNoDeviation) {
  OwnScale own = two_features();
  own.least = {1e-9, 1e-9};
  const float next = std::nextafter(1000.1F, 2000.0F);
  const std::vector<float> rows = own.rows({{1000.1F, 1, next, 2, 1000.1F, 3}});
  for (const std::size_t i : {0, 6, 12}) EXPECT_EQ(rows[i], 0) << i;
  EXPECT_NE(rows[1], 0);
}

TEST(OwnScale, IsFiniteForAnyNumbers) {
  constexpr float kMost = std::numeric_limits<float>::max();
  OwnScale own = two_features();
  own.means.scale = {1e-30, 1e-30};
  for (const float value : own.rows({{kMost, -kMost, kMost, kMost}})) {
    EXPECT_TRUE(std::isfinite(value));
  }
  EXPECT_TRUE(own.rows({}).empty());
}

}  // namespace
}  // namespace rwa::datasets

// tests/workflows/ridge_test.cc: tests ridge regression against the normal equations, and the rows
// that are left out against fits without them.
#include "workflows/ridge.h"

#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "support/random_data.h"

namespace rwa::workflows {
namespace {

using Matrix = std::vector<std::vector<double>>;

struct Data {
  Matrix x, y;
};

// Solves A w = b by elimination.
std::vector<double> solve(Matrix a, std::vector<double> b) {
  const std::size_t size = b.size();
  for (std::size_t k = 0; k < size; ++k) {
    for (std::size_t i = k + 1; i < size; ++i) {
      const double factor = a[i][k] / a[k][k];
      for (std::size_t j = k; j < size; ++j) a[i][j] -= factor * a[k][j];
      b[i] -= factor * b[k];
    }
  }
  for (std::size_t k = size; k-- > 0;) {
    for (std::size_t j = k + 1; j < size; ++j) b[k] -= a[k][j] * b[j];
    b[k] /= a[k][k];
  }
  return b;
}

double squared_deviations(const Matrix& x, std::size_t column) {
  double sum = 0, squares = 0;
  for (const auto& row : x) sum += row[column];
  const double mean = sum / static_cast<double>(x.size());
  for (const auto& row : x) squares += (row[column] - mean) * (row[column] - mean);
  return squares;
}

// The weights and the intercept, without row `but`. The scales are those of all rows.
std::vector<double> reference(const Data& data, std::size_t target, double penalty,
                              RidgeScale scale, std::size_t but) {
  const std::size_t columns = data.x.front().size();
  std::vector<double> scales;
  double mean = 0;
  for (std::size_t j = 0; j < columns; ++j) {
    scales.push_back(squared_deviations(data.x, j));
    mean += scales.back() / static_cast<double>(columns);
  }
  Matrix a(columns + 1, std::vector<double>(columns + 1));
  std::vector<double> b(columns + 1);
  for (std::size_t r = 0; r < data.x.size(); ++r) {
    if (r == but) continue;
    auto row = data.x[r];
    row.push_back(1);
    for (std::size_t i = 0; i <= columns; ++i) {
      for (std::size_t j = 0; j <= columns; ++j) a[i][j] += row[i] * row[j];
      b[i] += row[i] * data.y[r][target];
    }
  }
  for (std::size_t j = 0; j < columns; ++j) {
    a[j][j] += penalty * (scale == RidgeScale::kEach ? scales[j] : mean);
  }
  return solve(a, b);
}

double predicted(const std::vector<double>& weights, const std::vector<double>& row) {
  double sum = weights.back();
  for (std::size_t j = 0; j < row.size(); ++j) sum += weights[j] * row[j];
  return sum;
}

RidgeRow sparse(const std::vector<double>& row) {
  RidgeRow made;
  for (std::size_t j = 0; j < row.size(); ++j) {
    if (row[j] != 0) made.push_back({j, row[j]});
  }
  return made;
}

RidgeFit fit(const Data& data, RidgeScale scale) {
  RidgeSums sums(data.x.front().size(), data.y.front().size());
  for (std::size_t i = 0; i < data.x.size(); ++i) sums.add(sparse(data.x[i]), data.y[i], true);
  return sums.fit(scale);
}

// Two targets that depend on some of the columns, with noise. Half of the entries are 0, and column
// 1 has larger numbers than the others.
Data random_data(std::size_t rows, std::size_t columns) {
  RandomData random(7);
  Data data;
  for (std::size_t i = 0; i < rows; ++i) {
    auto row = random.normal<double>(columns, 1.0);
    const auto kept = random.normal<double>(columns, 1.0);
    for (std::size_t j = 0; j < columns; ++j) row[j] = kept[j] > 0 ? row[j] : 0;
    row[1] *= 50;
    const auto noise = random.normal<double>(2, 1.0);
    data.y.push_back({3 + 2 * row[0] - 0.1 * row[1] + 0.3 * noise[0], row[2] + 4 * noise[1]});
    data.x.push_back(std::move(row));
  }
  return data;
}

constexpr std::size_t kAll = -1;

TEST(Ridge, FindsALineWithoutNoise) {
  Data data;
  for (int i = 0; i < 8; ++i) data.x.push_back({double(i)}), data.y.push_back({5 - 2.0 * i});
  const RidgeFit found = fit(data, RidgeScale::kEach);
  EXPECT_EQ(found.penalty, kRidgePenalties.front());
  // The slope shrinks by 1 + penalty; the line still meets the means.
  EXPECT_NEAR(found.weights[0], -2 / 1.001, 1e-12);
  std::vector<double> output(1);
  found.predict({{0, 3.5}}, output);
  EXPECT_NEAR(output[0], -2, 1e-12);
}

TEST(Ridge, IsTheSolutionOfTheNormalEquations) {
  for (const RidgeScale scale : {RidgeScale::kEach, RidgeScale::kAll}) {
    for (const std::size_t columns : {5U, 70U}) {  // 70: more than rows, and than a block
      const Data data = random_data(40, columns);
      const RidgeFit found = fit(data, scale);
      for (std::size_t t = 0; t < 2; ++t) {
        const auto expected = reference(data, t, found.penalty, scale, kAll);
        for (std::size_t j = 0; j <= columns; ++j) {
          EXPECT_NEAR(found.weights[t * (columns + 1) + j], expected[j], 1e-8);
        }
      }
    }
  }
}

TEST(Ridge, RowsLeftOutArePredictedByTheOthers) {
  const Data data = random_data(40, 5);
  const RidgeFit found = fit(data, RidgeScale::kAll);
  ASSERT_EQ(found.left_out.size(), 80U);
  for (std::size_t i = 0; i < 40; ++i) {
    for (std::size_t t = 0; t < 2; ++t) {
      const auto weights = reference(data, t, found.penalty, RidgeScale::kAll, i);
      EXPECT_NEAR(found.left_out[i * 2 + t], predicted(weights, data.x[i]), 1e-8);
    }
  }
}

TEST(Ridge, TakesThePenaltyOfTheLeastErrorOnRowsLeftOut) {
  const Data data = random_data(40, 30);
  double least = INFINITY, best = 0;
  for (const double penalty : kRidgePenalties) {
    double error = 0;
    for (std::size_t i = 0; i < 40; ++i) {
      for (std::size_t t = 0; t < 2; ++t) {
        const auto weights = reference(data, t, penalty, RidgeScale::kEach, i);
        error += std::pow(predicted(weights, data.x[i]) - data.y[i][t], 2);
      }
    }
    if (error < least) best = penalty;
    least = std::min(least, error);
  }
  EXPECT_EQ(fit(data, RidgeScale::kEach).penalty, best);
  EXPECT_NE(best, kRidgePenalties.front());  // the noise needs more
}

TEST(Ridge, OfConstantColumnsIsTheMean) {
  const Data data{.x = {{0, 3}, {0, 3}, {0, 3}}, .y = {{1}, {2}, {6}}};
  const RidgeFit found = fit(data, RidgeScale::kEach);
  std::vector<double> output(1);
  found.predict({{1, 3}}, output);
  EXPECT_NEAR(output[0], 3, 1e-9);
}

// Rounding errors of the sums are larger than what distinguishes the columns.
TEST(Ridge, OfLargeNumbersWithSmallDifferencesIsFinite) {
  Data data;
  for (int i = 0; i < 20; ++i) {
    data.x.push_back({1e9 + i % 7, 1e9 + i % 5, double(i % 3), 0});
    data.y.push_back({double(i % 2)});
  }
  const RidgeFit found = fit(data, RidgeScale::kEach);
  for (const double weight : found.weights) EXPECT_TRUE(std::isfinite(weight));
  for (const double left : found.left_out) EXPECT_TRUE(std::isfinite(left));
}

}  // namespace
}  // namespace rwa::workflows

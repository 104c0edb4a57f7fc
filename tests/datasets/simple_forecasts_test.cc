// tests/datasets/simple_forecasts_test.cc: simple forecasts of series whose future is obvious.
#include "datasets/simple_forecasts.h"

#include <vector>

#include <gtest/gtest.h>

namespace rwa::datasets {
namespace {

using Values = std::vector<double>;

Values made(Simple kind, const Values& values, int season, std::size_t horizon) {
  Values out(horizon);
  forecast(kind, values, season, out);
  return out;
}

TEST(SimpleForecasts, WithoutASeason) {
  const Values line = {1, 3, 5, 7};
  EXPECT_EQ(made(Simple::kLast, line, 1, 2), (Values{7, 7}));
  EXPECT_EQ(made(Simple::kDrift, line, 1, 2), (Values{9, 11}));
  EXPECT_EQ(made(Simple::kMean, line, 1, 2), (Values{4, 4}));
  EXPECT_EQ(made(Simple::kSmoothed, {4, 4, 4}, 1, 1), (Values{4}));
  EXPECT_EQ(made(Simple::kSmoothed, {0, 10}, 1, 1), (Values{3}));
  EXPECT_EQ(made(Simple::kSmoothedDrift, {0, 2}, 1, 2), (Values{2, 3}));
}

TEST(SimpleForecasts, WithASeason) {
  const Values waves = {1, 2, 6, 2, 4, 9};
  EXPECT_EQ(made(Simple::kSeasonal, waves, 3, 4), (Values{2, 4, 9, 2}));
  EXPECT_EQ(made(Simple::kTwoSeasons, waves, 3, 3), (Values{1.5, 3, 7.5}));
  EXPECT_EQ(made(Simple::kMean, waves, 3, 4), (Values{1.5, 3, 7.5, 1.5}));
  EXPECT_EQ(made(Simple::kSeasonalDrift, waves, 3, 4), (Values{4, 6, 11, 6}));
}

TEST(SimpleForecasts, OfVeryFewValues) {
  for (std::size_t kind = 0; kind < kSimpleForecasts; ++kind) {
    EXPECT_EQ(made(static_cast<Simple>(kind), {5}, 12, 3), (Values{5, 5, 5})) << kind;
  }
}

}  // namespace
}  // namespace rwa::datasets

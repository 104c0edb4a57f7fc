// tests/datasets/season_test.cc: seasons are found where there are some, and only there.
#include "datasets/season.h"

#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"

namespace rwa::datasets {
namespace {

constexpr formats::TimeStep kMonth{.months = 1}, kHour{.length = 3600};

// A season of this length with noise, on a steep trend.
formats::Sequence seasonal(int steps, int season, double noise, double trend = 3,
                           std::uint32_t number = 0) {
  const Random random(5, Purpose::kTestSamples, number);
  formats::Sequence series;
  series.steps = steps;
  for (int t = 0; t < steps; ++t) {
    const double wave = 10 * std::sin(2 * std::numbers::pi * t / season);
    series.x.push_back(static_cast<float>(trend * t + wave +
                                          noise * random.normal(static_cast<std::uint64_t>(t))));
  }
  return series;
}

formats::Sequence walk(int steps, std::uint32_t number) {
  const Random random(6, Purpose::kTestSamples, number);
  formats::Sequence series;
  series.steps = steps;
  double level = 0;
  for (int t = 0; t < steps; ++t) {
    level += random.normal(static_cast<std::uint64_t>(t));
    series.x.push_back(static_cast<float>(level));
  }
  return series;
}

int season_of(const formats::Sequence& series, const std::optional<formats::TimeStep>& step = {}) {
  return find_season({&series, 1}, 1, step).length;
}

TEST(Season, IsFoundInSeriesWithATrend) {
  EXPECT_EQ(season_of(seasonal(120, 12, 1)), 12);
  EXPECT_EQ(season_of(seasonal(120, 12, 2), kMonth), 12);
  EXPECT_EQ(season_of(seasonal(200, 24, 1), kHour), 24);
  EXPECT_EQ(season_of(seasonal(1000, 168, 0.2), kHour), 168);
  EXPECT_EQ(season_of(seasonal(100, 9, 1)), 9);
}

TEST(Season, MustRepeatThreeTimes) {
  EXPECT_EQ(season_of(seasonal(36, 12, 0.5), kMonth), 12);
  EXPECT_EQ(season_of(seasonal(34, 12, 0.5), kMonth), 1);
}

TEST(Season, IsThatOfTheCalendarIfItHasOne) {
  EXPECT_EQ(season_of(seasonal(120, 9, 0.5), kMonth), 1) << "nine months";
}

TEST(Season, IsNotFoundInRandomWalksAndConstants) {
  for (std::uint32_t number = 0; number < 20; ++number) {
    EXPECT_EQ(season_of(walk(100, number)), 1) << number;
    EXPECT_EQ(season_of(walk(100, number), kMonth), 1) << number;
  }
  formats::Sequence constant;
  constant.steps = 60;
  constant.x.assign(60, 3.0F);
  EXPECT_EQ(season_of(constant), 1);
}

TEST(Season, IsFoundOverSeveralSeriesAndFeatures) {
  std::vector<formats::Sequence> series;
  for (std::uint32_t i = 0; i < 5; ++i) series.push_back(seasonal(40, 7, 4, 0, i));
  EXPECT_EQ(find_season(series, 1, {}).length, 7);
  formats::Sequence two;  // the second feature is constant
  two.steps = 60;
  for (const float x : seasonal(60, 6, 1).x) two.x.insert(two.x.end(), {x, 1.0F});
  EXPECT_EQ(find_season({&two, 1}, 2, {}).length, 6);
}

TEST(Season, DecidesTheHorizon) {
  EXPECT_EQ(natural_horizon(0, 12, kMonth, 144), 12);
  EXPECT_EQ(natural_horizon(8, 12, kMonth, 144), 8) << "as the file says";
  EXPECT_EQ(natural_horizon(0, 1, kMonth, 36), 6) << "a sixth of the series";
  EXPECT_EQ(natural_horizon(0, 1, formats::TimeStep{.months = 12}, 100), 6);
  EXPECT_EQ(natural_horizon(0, 1, {}, 1000), 10);
  EXPECT_EQ(natural_horizon(0, 1, {}, 3), 1);
}

}  // namespace
}  // namespace rwa::datasets

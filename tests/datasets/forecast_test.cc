// tests/datasets/forecast_test.cc: windows of series, what the network sees of them, and how its
// outputs become numbers.
#include "datasets/forecast.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "datasets/forecast_fit.h"

namespace rwa::datasets {
namespace {

// Two features: a season of 4 on a trend, and a constant.
formats::Sequence series_of(int steps, double scale = 1, double offset = 0) {
  formats::Sequence series;
  series.id = "s";
  series.steps = steps;
  constexpr double kSeason[] = {0, 3, 1, -4};
  for (int t = 0; t < steps; ++t) {
    const double noise = 0.3 * std::sin(17.0 * t * t);
    series.x.push_back(static_cast<float>(scale * (t + kSeason[t % 4] + noise) + offset));
    series.x.push_back(7.0F);
    series.times.push_back(t);
  }
  return series;
}

Forecast settings() {
  return {.horizon = 3,
          .season = 4,
          .history = 8,
          .targets = {0},
          .weights = {{0, 0, 0, 0, 0, 1, 0, 0}}};
}

TEST(Forecast, WindowsHaveTheStepsBeforeAndAfterTheirOrigin) {
  const formats::Sequence series = series_of(20);
  const formats::Sequence window = window_of(settings(), 2, series, 10, 10);
  EXPECT_EQ(window.steps, 8);
  ASSERT_EQ(window.x.size(), 16U);
  EXPECT_EQ(window.x.front(), series.x[2 * 2]);
  EXPECT_EQ(window.x[14], series.x[2 * 9]);
  ASSERT_EQ(window.values.size(), 3U);
  EXPECT_EQ(window.values[0], series.x[2 * 10]);
  EXPECT_EQ(window.values[2], series.x[2 * 12]);
  EXPECT_EQ(window.times.front(), 2);
  EXPECT_EQ(window.times.back(), 12);
  EXPECT_TRUE(window_of(settings(), 2, series, 20, 20).values.empty()) << "the future is unknown";
  EXPECT_EQ(window_of(settings(), 2, series, 3, 3).steps, 3);
}

// What comes after the origin must not change what the network sees, nor the unit.
TEST(Forecast, InputsKnowNothingOfTheFuture) {
  const formats::Sequence series = series_of(20);
  formats::Sequence other = series;
  for (std::size_t i = 2 * 10; i < other.x.size(); ++i) other.x[i] = -1000;
  const auto window = window_of(settings(), 2, series, 10, 10);
  const auto changed = window_of(settings(), 2, other, 10, 10);
  EXPECT_EQ(inputs_of(settings(), 2, window), inputs_of(settings(), 2, changed));
  EXPECT_EQ(window.frame, changed.frame);
  EXPECT_EQ(base_of(settings(), 2, window), base_of(settings(), 2, changed));
}

// A series in another unit looks the same, and its forecast is the same one in that unit.
TEST(Forecast, DoesNotDependOnTheUnitOfTheSeries) {
  const auto window = window_of(settings(), 2, series_of(20), 12, 12);
  const auto scaled = window_of(settings(), 2, series_of(20, 1000, 5e4), 12, 12);
  const auto inputs = inputs_of(settings(), 2, window), others = inputs_of(settings(), 2, scaled);
  ASSERT_EQ(inputs.size(), 8 * settings().inputs(2));
  for (std::size_t i = 0; i < inputs.size(); ++i) EXPECT_NEAR(inputs[i], others[i], 2e-3);
  const std::vector<float> outputs = {-1, 0, 2, 1, -1, 0, 0.5F, 0.6F, 0.7F};
  const auto ranges = ranges_of(settings(), 2, window, outputs);
  const auto in_unit = ranges_of(settings(), 2, scaled, outputs);
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    EXPECT_NEAR(1000 * ranges[i].median + 5e4, in_unit[i].median, 20);
    EXPECT_LE(ranges[i].low, ranges[i].median);
    EXPECT_LE(ranges[i].median, ranges[i].high);
  }
}

TEST(Forecast, RangesReverseTargets) {
  const auto window = window_of(settings(), 2, series_of(20), 12, 20);
  const auto targets = targets_of(settings(), 2, window);
  ASSERT_EQ(targets.size(), 9U);
  const auto ranges = ranges_of(settings(), 2, window, targets);
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    EXPECT_NEAR(ranges[i].low, window.values[i], 1e-4);
    EXPECT_NEAR(ranges[i].high, window.values[i], 1e-4);
  }
}

TEST(Forecast, TheUnitIsTheMeanChangeFromSeasonToSeason) {
  const formats::Sequence series = series_of(16);
  double sum = 0;
  for (std::size_t t = 4; t < 12; ++t) sum += std::abs(series.x[2 * t] - series.x[2 * (t - 4)]);
  EXPECT_NEAR(change_of(window_of(settings(), 2, series, 12, 12), 0), sum / 8, 1e-5);
  EXPECT_EQ(change_of(window_of(settings(), 2, series, 12, 12), 1), 1) << "of a constant";
}

TEST(Forecast, AFitPrefersWhatForecastsBest) {
  const std::vector<formats::Sequence> series = {series_of(60)};
  Windows windows;
  windows.add(0, 8, 57, 1, 60);
  const FittedForecast fitted = fit_forecast(settings(), 2, series, windows);
  ASSERT_EQ(fitted.forecast.weights.size(), 1U);
  const auto& weights = fitted.forecast.weights[0];
  double sum = 0;
  for (const double weight : weights) sum += weight;
  EXPECT_NEAR(sum, 1, 1e-12);
  EXPECT_GT(weights[static_cast<std::size_t>(Simple::kSeasonalDrift)], 0.9);
  ASSERT_EQ(fitted.start.size(), 9U);
  for (std::size_t i = 0; i < 9; i += 3) {
    EXPECT_LT(fitted.start[i], 0);
    EXPECT_EQ(fitted.start[i + 1], 0);
    EXPECT_GT(fitted.start[i + 2], 0);
  }
}

TEST(Forecast, WithoutASeasonNeedsNoSeasonalForecasts) {
  Forecast none = settings();
  none.season = 1;
  EXPECT_FALSE(is_used(none, Simple::kSeasonal));
  EXPECT_TRUE(is_used(none, Simple::kDrift));
  EXPECT_EQ(none.inputs(2) + 2, settings().inputs(2)) << "no phase";
}

}  // namespace
}  // namespace rwa::datasets

// tests/datasets/windows_test.cc: windows of series are split by time: nothing that is scored was
// seen in training.
#include "datasets/windows.h"

#include <set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace rwa::datasets {
namespace {

std::vector<formats::Sequence> series_of(const std::vector<int>& lengths) {
  std::vector<formats::Sequence> all;
  for (const int length : lengths) {
    all.emplace_back().steps = length;
    all.back().x.assign(static_cast<std::size_t>(length), 0.0F);
  }
  return all;
}

using Steps = std::set<std::pair<std::size_t, int>>;

// The steps that windows forecast, as (series, step).
Steps forecast_steps(const Windows& windows, int horizon) {
  Steps steps;
  for (std::int64_t i = 0; i < windows.size(); ++i) {
    const Windows::Place place = windows.at(i);
    for (int t = 0; t < horizon; ++t) steps.emplace(place.series, place.origin + t);
  }
  return steps;
}

TEST(Windows, OfAFoldComeAfterThoseItTrainsOn) {
  const Forecast forecast{.horizon = 5, .season = 4, .history = 12, .targets = {0}};
  const auto series = series_of({60, 40, 12});
  FilesTask task{.split = 0, .folds = 3};
  for (task.fold = 0; task.fold < task.folds; ++task.fold) {
    SCOPED_TRACE(task.fold);
    const Windows train = windows_of(task, forecast, series, Split::kTrain);
    const Windows test = windows_of(task, forecast, series, Split::kTest);
    EXPECT_EQ(windows_of(task, forecast, series, Split::kValid).size(), 0);
    ASSERT_GE(test.size(), 2);
    const Steps trained = forecast_steps(train, 5);
    for (std::int64_t i = 0; i < test.size(); ++i) {
      const Windows::Place place = test.at(i);
      const int steps = series[place.series].steps;
      EXPECT_EQ(place.origin, steps - (task.fold + 1) * 5);
      EXPECT_EQ(place.known, place.origin) << "nothing later may be looked at";
      for (const auto& [number, step] : trained) {
        if (number == place.series) {
          EXPECT_LT(step, place.origin);
        }
      }
    }
    for (std::int64_t i = 0; i < train.size(); ++i) {
      const Windows::Place place = train.at(i);
      EXPECT_LE(place.known, series[place.series].steps - (task.fold + 1) * 5);
      EXPECT_LE(place.origin + 5, place.known);
    }
  }
}

TEST(Windows, OfAFoldValidateBetweenTrainingAndTest) {
  const Forecast forecast{.horizon = 5, .history = 12, .targets = {0}};
  const auto series = series_of({100});
  const FilesTask task{.split = 0.2, .folds = 3, .fold = 1};
  const Steps trained = forecast_steps(windows_of(task, forecast, series, Split::kTrain), 5);
  const Steps validated = forecast_steps(windows_of(task, forecast, series, Split::kValid), 5);
  const Steps tested = forecast_steps(windows_of(task, forecast, series, Split::kTest), 5);
  EXPECT_EQ(trained.rbegin()->second, 71);
  EXPECT_EQ(validated.begin()->second, 72);
  EXPECT_LE(validated.rbegin()->second, 89);
  EXPECT_EQ(tested.begin()->second, 90);
  EXPECT_EQ(tested.rbegin()->second, 94);
}

TEST(Windows, OfAllFoldsTogetherTrainOnEverything) {
  const Forecast forecast{.horizon = 5, .history = 12, .targets = {0}};
  const auto series = series_of({30});
  const Windows all = windows_of({.folds = 3, .fold = 3}, forecast, series, Split::kTrain);
  EXPECT_EQ(*forecast_steps(all, 5).rbegin(), std::pair(std::size_t{0}, 29));
}

TEST(Windows, HoldOutTheTailForValidation) {
  const Forecast forecast{.horizon = 4, .history = 12, .targets = {0}};
  const auto series = series_of({100, 21});
  const FilesTask task{.split = 0.2};
  const Steps trained = forecast_steps(windows_of(task, forecast, series, Split::kTrain), 4);
  const Steps held = forecast_steps(windows_of(task, forecast, series, Split::kValid), 4);
  EXPECT_EQ(held.count({0, 80}), 1U);
  EXPECT_EQ(held.count({0, 99}), 1U);
  EXPECT_EQ(held.count({1, 17}), 1U) << "at least a horizon";
  for (const auto& step : held) EXPECT_EQ(trained.count(step), 0U);
  EXPECT_EQ(trained.count({0, 79}), 1U);
}

TEST(Windows, OfTestFilesForecastEachStepOnceUpToTheLast) {
  const Forecast forecast{.horizon = 4, .history = 12, .targets = {0}};
  const auto series = series_of({31, 6, 9});
  const Windows windows = all_windows(forecast, series);
  const Steps steps = forecast_steps(windows, 4);
  EXPECT_EQ(steps.size(), static_cast<std::size_t>(4 * windows.size()));
  EXPECT_EQ(windows.size(), 5) << "origins from 12 on; the second series is too short";
  EXPECT_TRUE(steps.contains({0, 30}));
  EXPECT_TRUE(steps.contains({2, 8}));
}

TEST(Windows, OfContinuedSeriesForecastOnlyNewSteps) {
  const Forecast forecast{.horizon = 4, .history = 12, .targets = {0}};
  const Windows windows = all_windows(forecast, series_of({31}), std::vector{22});
  EXPECT_EQ(forecast_steps(windows, 4).begin()->second, 23);
  EXPECT_EQ(windows.size(), 2);
}

TEST(Windows, FoldsNeedLongSeries) {
  const Forecast forecast{.horizon = 6, .season = 12, .history = 36, .targets = {0}};
  EXPECT_EQ(possible_folds(forecast, series_of({144}), 5), 5);
  EXPECT_EQ(possible_folds(forecast, series_of({36}), 5), 2);
  EXPECT_EQ(possible_folds(forecast, series_of({20}), 5), 0);
}

}  // namespace
}  // namespace rwa::datasets

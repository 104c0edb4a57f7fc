// src/datasets/series_files.cc: data sets of series: windows of them are the samples.
#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/counted.h"
#include "datasets/files_order.h"
#include "datasets/forecast_fit.h"
#include "datasets/loaded_files.h"
#include "datasets/windows.h"
#include "rwa/errors.h"

namespace rwa::datasets {
namespace {

// What is to be forecast, without what is fitted. What the task leaves open is chosen from all
// series, so that folds agree.
Forecast forecast_of(const FilesTask& task, const LoadedData& data) {
  constexpr int kLeastHistory = 24, kSeasons = 3;
  const std::vector<std::string>& features = data.schema.features;
  const int median = median_length(data.statistics);
  Forecast forecast{.step = data.step, .interval = task.interval};
  forecast.season = task.season > 0 ? task.season : data.season.length;
  forecast.horizon = task.horizon > 0
                         ? task.horizon
                         : natural_horizon(data.schema.horizon, forecast.season, data.step, median);
  forecast.history =
      task.window > 0 ? task.window : std::max(kSeasons * forecast.season, kLeastHistory);
  for (std::size_t i = 0; i < features.size(); ++i) {
    const bool is_target =
        task.target.empty() || std::ranges::find(task.target, features[i]) != task.target.end();
    if (is_target) forecast.targets.push_back(i);
  }
  return forecast;
}

void check_windows(std::int64_t windows, const Forecast& forecast, const FilesTask& task,
                   const Statistics& seen) {
  if (windows > 0) return;
  const std::string shorter = forecast.horizon > 1 ? ": use a smaller --horizon" : "";
  throw InputError(
      fmt::format("found series of up to {}, expected more to train on forecasts of {}{}{}",
                  counted(longest(seen), "step"), counted(forecast.horizon, "step"), shorter,
                  task.folds > 0 && !shorter.empty() ? " or fewer --folds" : ""));
}

// Throws InputError for validation or test files without any forecast to score.
void check_scored(const Windows& windows, const Forecast& forecast, const Subset& files) {
  if (windows.size() > 0) return;
  int most = 0, steps = 0;
  for (std::size_t i = 0; i < files.series.size(); ++i) {
    most = std::max(most, files.series[i].steps - files.first[i]);
    steps = std::max(steps, files.first[i] > 0 ? 0 : forecast.needed_history());
  }
  throw InputError(fmt::format(
      "found series of up to {} in the files for validation or testing, expected at least {} to "
      "score forecasts of {}{}",
      counted(most, "step"), steps + forecast.horizon, counted(forecast.horizon, "step"),
      forecast.horizon > 1 ? ": use a smaller --horizon" : ""));
}

// Throws ConfigError if the network could not see a season.
void check_history(const Forecast& forecast) {
  if (forecast.season == 1 || forecast.history >= forecast.season) return;
  throw ConfigError(fmt::format(
      "window is {}, expected at least the season of {}: use a larger --window, or --season 1",
      forecast.history, counted(forecast.season, "step")));
}

class SeriesFiles final : public LoadedFiles, private SeriesData {
 public:
  SeriesFiles(const FilesTask& task, std::shared_ptr<const LoadedData> data);

  [[nodiscard]] std::int64_t size(Split split) const override { return windows(split).size(); }
  void draw(std::uint64_t seed, std::int64_t first,
            std::span<std::int64_t> samples) const override {
    order_->draw(seed, first, samples);
  }
  void sample(Split split, std::int64_t number, formats::Sequence& encoded) const override;
  [[nodiscard]] const SeriesData* series() const override { return this; }

  [[nodiscard]] std::unique_ptr<Files> prepared(const FilesTask& task) const override;
  [[nodiscard]] bool has_folds(int folds) const override { return possible_folds(folds) >= folds; }

 private:
  [[nodiscard]] const formats::Sequence& of_window(Split split, std::int64_t number,
                                                   int& origin) const override;
  [[nodiscard]] const Season& season() const override { return data_->season; }
  [[nodiscard]] int possible_folds(int most) const override {
    return datasets::possible_folds(encoding_.forecast, data_->subsets.front()->series, most);
  }

  void choose_windows();
  [[nodiscard]] const Windows& windows(Split split) const {
    return windows_[static_cast<std::size_t>(split)];
  }
  [[nodiscard]] const std::vector<formats::Sequence>& all(Split split) const {
    return sources_[static_cast<std::size_t>(split)]->series;
  }

  // Of each split: where its series are, and its windows of them.
  std::array<const Subset*, 3> sources_{};
  std::array<Windows, 3> windows_;
  std::optional<ShuffledOrder> order_;
};

SeriesFiles::SeriesFiles(const FilesTask& task, std::shared_ptr<const LoadedData> data)
    : LoadedFiles(task, std::move(data)) {
  const Subset& training = *data_->subsets.front();
  if (training.series.empty()) throw InputError("the training files have no series");
  set_encoding(training.sums);
  encoding_.forecast = forecast_of(task_, *data_);
  check_history(encoding_.forecast);
  encoding_.window = encoding_.stride = 0;
  choose_windows();
  FittedForecast fitted = fit_forecast(encoding_.forecast, encoding_.schema.features.size(),
                                       training.series, windows(Split::kTrain));
  encoding_.forecast = std::move(fitted.forecast);
  shape_ = encoding_.shape();
  shape_.interval_scale = task_.interval_scale;
  shape_.longest = encoding_.forecast.history;
  shape_.mean_length = shape_.longest;
  shape_.start = constant_outputs_ = std::move(fitted.start);
  naive_ = naive_of(encoding_, training.sums);
  order_.emplace(windows(Split::kTrain).size());
  finish();
}

// The training files are split by time.
void SeriesFiles::choose_windows() {
  const Forecast& forecast = encoding_.forecast;
  for (const Split split : {Split::kTrain, Split::kValid, Split::kTest}) {
    const auto i = static_cast<std::size_t>(split);
    sources_[i] = data_->subsets.front().get();
    windows_[i] = windows_of(task_, forecast, sources_[i]->series, split);
  }
  const auto choose = [&](Split split, const Subset* files) {
    const auto i = static_cast<std::size_t>(split);
    sources_[i] = files;
    windows_[i] = all_windows(forecast, files->series, files->first);
    check_scored(windows_[i], forecast, *files);
  };
  if (data_->valid) choose(Split::kValid, data_->valid.get());
  if (data_->test && !is_one_fold(task_)) choose(Split::kTest, data_->test.get());
}

const formats::Sequence& SeriesFiles::of_window(Split split, std::int64_t number,
                                                int& origin) const {
  const Windows::Place place = windows(split).at(number);
  origin = place.origin;
  return all(split)[place.series];
}

void SeriesFiles::sample(Split split, std::int64_t number, formats::Sequence& encoded) const {
  const Windows::Place place = windows(split).at(number);
  encoded = window_of(encoding_.forecast, encoding_.schema.features.size(),
                      all(split)[place.series], place.origin, place.known);
}

std::unique_ptr<Files> SeriesFiles::prepared(const FilesTask& task) const {
  if (task.folds > 0) check_range("fold", task.fold, 0, task.folds);
  auto made = std::make_unique<SeriesFiles>(task, data_);
  check_windows(made->size(Split::kTrain), made->encoding_.forecast, task, statistics_);
  return made;
}

}  // namespace

std::unique_ptr<LoadedFiles> make_series_files(const FilesTask& task,
                                               std::shared_ptr<const LoadedData> data) {
  return std::make_unique<SeriesFiles>(task, std::move(data));
}

}  // namespace rwa::datasets

#include "datasets/windows.h"

#include <algorithm>
#include <cmath>

namespace rwa::datasets {
namespace {

// How one series is cut in time: steps to train on, then to validate on, then to test on.
struct Cut {
  int trained = 0, validated = 0, tested = 0;  // the ends of these parts
};

Cut cut_of(const FilesTask& task, const Forecast& forecast, int steps) {
  const int horizon = forecast.horizon;
  const bool is_fold = task.folds > 0 && task.fold < task.folds;
  const bool validates = task.split > 0 && task.valid.empty() && (task.folds == 0 || is_fold);
  const int end = is_fold ? steps - (task.fold + 1) * horizon : steps;
  const int tail =
      validates ? std::max(horizon, static_cast<int>(std::lround(task.split * end))) : 0;
  return {.trained = end - tail, .validated = end, .tested = is_fold ? end + horizon : end};
}

}  // namespace

void Windows::add(std::size_t series, int first, int last, int stride, int known) {
  if (last < first) return;
  runs_.push_back({size_, series, first, stride, known});
  size_ += (last - first) / stride + 1;
}

Windows::Place Windows::at(std::int64_t number) const {
  const auto after = std::ranges::upper_bound(runs_, number, {}, &Run::before);
  const Run& run = *std::prev(after);
  const int origin = run.first + static_cast<int>(number - run.before) * run.stride;
  return {run.series, origin, std::max(run.known, origin)};
}

Windows windows_of(const FilesTask& task, const Forecast& forecast,
                   std::span<const formats::Sequence> series, Split split) {
  const int horizon = forecast.horizon;
  Windows windows;
  for (std::size_t i = 0; i < series.size(); ++i) {
    const auto [trained, validated, tested] = cut_of(task, forecast, series[i].steps);
    const int least = forecast.least_history(trained);
    if (split == Split::kTrain) {
      windows.add(i, least, trained - horizon, std::max(1, task.stride), trained);
    } else if (trained - horizon >= least) {  // else there is nothing to train on
      const bool tests = split == Split::kTest;
      windows.add(i, tests ? validated : trained, (tests ? tested : validated) - horizon,
                  std::max(1, horizon / 2), 0);
    }
  }
  return windows;
}

Windows all_windows(const Forecast& forecast, std::span<const formats::Sequence> series,
                    std::span<const int> first) {
  Windows windows;
  for (std::size_t i = 0; i < series.size(); ++i) {
    const int last = series[i].steps - forecast.horizon;
    const int usual = std::max(forecast.needed_history(), std::min(forecast.history, last));
    const int begin = i < first.size() && first[i] > 0 ? first[i] : usual;
    if (last < begin) continue;
    const int count = (last - begin) / forecast.horizon;
    windows.add(i, last - count * forecast.horizon, last, forecast.horizon, 0);
  }
  return windows;
}

int possible_folds(const Forecast& forecast, std::span<const formats::Sequence> series, int most) {
  std::vector<int> lengths;
  for (const formats::Sequence& one : series) lengths.push_back(one.steps);
  const auto middle = lengths.begin() + std::ssize(lengths) / 2;
  std::ranges::nth_element(lengths, middle);
  constexpr int kLeastHistory = 2;
  const int least =
      std::max(2 * std::max(forecast.horizon, forecast.season), forecast.horizon + kLeastHistory);
  return std::clamp((*middle - least) / forecast.horizon, 0, most);
}

}  // namespace rwa::datasets

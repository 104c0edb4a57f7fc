#include "workflows/forecast_defaults.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>

#include "training/loop.h"
#include "training/run_store.h"
#include "workflows/defaults.h"

namespace rwa::workflows {
namespace {

constexpr std::int64_t kFewSteps = 20'000;
constexpr int kOrigins = 5;
constexpr std::int64_t kMostWindows = 50'000;  // per epoch

// With too little to validate on, training is short and slow: the weighted simple forecasts that
// the network corrects are hard to beat.
constexpr int kUnits = 32;
constexpr double kSlowRate = 1e-3;
constexpr double kEpochs = 25;
constexpr std::int64_t kMostSteps = 5000;

// The first training.
constexpr int kUnitsOfFew = 16;
constexpr double kSplit = 0.2;
constexpr std::int64_t kLeastValidation = 8;  // windows, of which every other one is new
constexpr std::int64_t kLeastSteps = 1500;
constexpr std::int64_t kScores = 60;
constexpr double kClearGain = 0.85;

std::int64_t whole(double value) { return static_cast<std::int64_t>(std::ceil(value)); }

double training_windows(const datasets::Files& files) {
  return static_cast<double>(files.size(datasets::Split::kTrain));
}

// What is held out is used for training, too, in the end; so it must come before what is scored.
datasets::FilesTask task_of_first(datasets::FilesTask task) {
  task.split = kSplit;
  task.fold = task.folds - 1;
  return task;
}

// Whether there is enough to validate on, and enough of each series is left to train on.
bool can_validate(const datasets::Files& files, const datasets::FilesTask& task) {
  if (task.folds == 0) return false;
  const int known = datasets::median_length(files.statistics()) - task.folds * task.horizon;
  if (kSplit * known < task.horizon) return false;
  const auto first = datasets::prepared(files, task_of_first(task));
  return first->size(datasets::Split::kValid) >= kLeastValidation;
}

bool is_length_given(const training::Overrides& given) {
  return given.has("training.steps") || given.has("training.epochs") ||
         given.has("evaluation.patience") || given.has("task.interval_scale");
}

// The lowest of several validation losses is too low by luck: only a clear gain counts.
bool is_clearly_better(const training::Record& run) {
  double first = 0, best = 0;
  for (const training::Metric& metric : run.metrics) {
    if (metric.split != "valid") continue;
    if (metric.step == 0) first = best = metric.loss;
    best = std::min(best, metric.loss);
  }
  return best < kClearGain * first;
}

// Sets how long to train, and all that this depends on; nothing if the network has little to add.
void find_length(const training::Overrides& given, const datasets::Files& files,
                 training::Experiment& experiment) {
  training::Experiment first = experiment;
  first.device = "cpu";  // the same choice on all devices
  training::files_task(first) = task_of_first(training::files_task(experiment));
  const std::shared_ptr<const datasets::Files> early =
      datasets::prepared(files, training::files_task(first));
  complete(given, *early, find_room(1, nullptr), first);
  training::MemoryStore store;
  training::run(first, early, store, {}, {});
  const training::Record record = store.record();
  if (!is_clearly_better(record)) return;

  auto& task = training::files_task(experiment);
  const auto all = datasets::prepared(files, task);
  const double growth = training_windows(*all) / training_windows(*early);
  task.interval_scale = record.interval_scale;
  experiment.network.units = first.network.units;
  experiment.training.learning_rate = first.training.learning_rate;
  experiment.training.steps =
      whole(growth * static_cast<double>(record.best_step.value_or(record.steps)));
  experiment.training.epochs = 0;
}

bool is_found(const training::Experiment& experiment) {
  return training::files_task(experiment).interval_scale > 0;
}

}  // namespace

bool has_few_steps(const datasets::Files& files) { return files.statistics().steps < kFewSteps; }

void choose_forecast(const training::Overrides& given, const datasets::Files& files,
                     training::Experiment& experiment) {
  auto& task = training::files_task(experiment);
  const datasets::Forecast& forecast = files.encoding().forecast;
  task.horizon = forecast.horizon;
  task.season = forecast.season;
  task.window = forecast.history;
  if (!given.has("task.stride")) {
    task.stride = static_cast<int>(1 + files.statistics().steps / kMostWindows);
  }
  const bool stops_early = given.has("evaluation.patience") && experiment.evaluation.patience > 0;
  const bool validates = given.has("task.split") || !task.valid.empty() || stops_early;
  if (validates || !has_few_steps(files)) return;
  if (!given.has("task.folds")) task.folds = files.series()->possible_folds(kOrigins);
  task.split = 0;
  if (!is_length_given(given) && can_validate(files, task)) find_length(given, files, experiment);
}

void choose_network_of_forecasts(const training::Overrides& given, const datasets::Files& files,
                                 training::Experiment& experiment) {
  if (is_found(experiment)) return;
  const bool validates = files.size(datasets::Split::kValid) > 0;
  if (!given.has("network.units")) {
    experiment.network.units = validates && has_few_steps(files) ? kUnitsOfFew : kUnits;
  }
  if (!given.has("training.learning_rate") && !validates) {
    experiment.training.learning_rate = kSlowRate;
  }
}

void choose_length_of_forecasts(const training::Overrides& given, const datasets::Files& files,
                                training::Experiment& experiment) {
  if (is_found(experiment) || !has_few_steps(files)) return;
  training::Training& training = experiment.training;
  const bool validates = files.size(datasets::Split::kValid) > 0;
  if (!given.has("training.steps") && !given.has("training.epochs")) {
    const std::int64_t epochs = whole(kEpochs * training_windows(files) / training.batch);
    training.steps = std::min(kMostSteps, validates ? std::max(kLeastSteps, epochs) : epochs);
    training.epochs = 0;
  }
  if (validates && training.steps > 0 && !given.has("evaluation.every")) {
    experiment.evaluation.every = std::max<std::int64_t>(1, training.steps / kScores);
  }
}

}  // namespace rwa::workflows

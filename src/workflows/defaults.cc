#include "workflows/defaults.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <span>
#include <variant>

#include <fmt/format.h>

#include "comm/ranks.h"
#include "datasets/store_file.h"
#include "report/text.h"
#include "workflows/findings.h"
#include "workflows/forecast_defaults.h"
#include "workflows/memory.h"

namespace rwa::workflows {
namespace {

constexpr int kUnits = 100;
constexpr int kBatch = 32;
constexpr double kEpochs = 100;
constexpr int kPatience = 12;
constexpr double kLearningRate = 3e-3;
constexpr double kClipNorm = 1;
// An epoch of many sequences would be too long to wait for a score.
constexpr std::int64_t kMostBetweenScores = 500;
constexpr int kScoredAtATime = 256;

// With fewer sequences a validation set is too small to stop by: a fifth of 40 sequences is 8.
constexpr std::int64_t kFew = 500;
constexpr int kFolds = 5;
constexpr int kBatchOfFew = 8;
constexpr std::int64_t kStepsOfFew = 600;
constexpr double kEpochsOfFew = 40;
constexpr std::int64_t kScoresOfFew = 20;

// The network of sequences of numbers with classes. A stem is slow; with many sequences a context
// is as good.
constexpr std::int64_t kMany = 5000;
constexpr int kContext = 15;
constexpr const char* kStemOfShort = "15";  // more convolutions see no further, and overfit
constexpr int kShort = 50;                  // steps
constexpr int kUnitsOfShapes = 64;
constexpr double kNoise = 0.2;
constexpr double kLearningRateOfFewNumbers = 1e-3;

// Sequences of a small alphabet, such as DNA (15 letters with those for several bases) and proteins
// (20 to 25): single letters say little, neighbouring ones are motifs.
constexpr std::size_t kLetters = 26;
constexpr int kMotif = 7;

// Of the available memory. The rest is for batches, data and other processes.
constexpr double kShareOfMemory = 0.7;

std::int64_t whole(double value) { return static_cast<std::int64_t>(std::ceil(value)); }

// "vowels" for "data/vowels.csv.gz".
std::string name_of(const std::string& path) {
  if (path == "-") return "stdin";
  const auto file = std::filesystem::path(path).lexically_normal();
  const std::string name = (file.has_filename() ? file : file.parent_path()).filename().string();
  const std::string stem = name.substr(0, name.find('.', 1));
  return stem.empty() ? "data" : stem;
}

bool is_few(const datasets::Files& files) {
  if (is_forecast(files)) return has_few_steps(files);
  return files.shape().readout == Readout::kLast && files.statistics().sequences < kFew;
}

// Few targets that are numbers are mostly noise: a plain network that learns slowly is no worse than
// their mean.
bool has_few_numbers(const datasets::Files& files) {
  return is_few(files) && files.shape().loss == Loss::kSquaredError;
}

// Few sequences are better used for training than for validation: they train for a fixed number of
// steps, and cross-validation scores them.
void choose_split(const training::Overrides& given, const datasets::Files& files,
                  training::Experiment& experiment) {
  auto& task = training::files_task(experiment);
  if (!is_few(files) || !task.valid.empty() || given.has("task.split") ||
      given.has("evaluation.patience")) {
    return;
  }
  const bool folds_are_given = given.has("task.folds");
  if (!folds_are_given && !datasets::has_folds(files, kFolds)) return;
  if (!folds_are_given) task.folds = kFolds;
  if (!has_few_numbers(files)) task.split = 0;
}

bool are_short(const datasets::Files& files) {
  return datasets::median_length(files.statistics()) < kShort;
}

// What tells classes of numbers apart is in shapes of several steps: a stem or a context sees them.
bool has_shapes(const datasets::Files& files) {
  const Loss loss = files.shape().loss;
  return !files.encoding().schema.symbols && files.shape().readout == Readout::kLast &&
         (loss == Loss::kSoftmax || loss == Loss::kSigmoid);
}

bool are_many(const datasets::Files& files) { return files.statistics().sequences >= kMany; }

bool is_width_given(const training::Overrides& given) {
  return given.has("task.context") || given.has("network.stem");
}

void choose_placement(const training::Overrides& given, const datasets::Files& files,
                      training::Experiment& experiment) {
  const bool has_positions = given.has("task.positions"), has_shift = given.has("training.shift");
  if (has_positions && has_shift) return;
  datasets::FilesTask whole = training::files_task(experiment);  // so that all seeds agree
  whole.split = 0;
  whole.folds = whole.fold = 0;
  const Placement placement = placement_of(find_alignment(*datasets::prepared(files, whole)));
  if (!has_positions) training::files_task(experiment).positions = placement.positions;
  if (!has_shift) experiment.training.shift = placement.shift;
}

// Sets what each step of numbers sees. Many short sequences, such as the rows of images, do without.
void choose_shapes(const training::Overrides& given, const datasets::Files& files,
                   training::Experiment& experiment) {
  if (!has_shapes(files) || (are_many(files) && are_short(files))) return;
  if (!are_many(files)) {
    choose_placement(given, files, experiment);
    return;
  }
  auto& task = training::files_task(experiment);
  if (!given.has("task.positions")) task.positions = kUsualPositions;
  if (!is_width_given(given)) task.context = kContext;
}

// Sets what each step of letters sees: the ones before it, and its place if all sequences have the
// same length, as aligned ones do.
void choose_motifs(const training::Overrides& given, const datasets::Files& files,
                   datasets::FilesTask& task) {
  const datasets::Encoding& encoding = files.encoding();
  if (!encoding.schema.symbols || encoding.known_symbols() > kLetters ||
      files.shape().readout != Readout::kLast || given.has("network.embedding")) {
    return;
  }
  const bool are_aligned = files.statistics().lengths.size() == 1;
  if (!given.has("task.context")) task.context = kMotif;
  if (are_aligned && !given.has("task.positions")) task.positions = kUsualPositions;
}

void choose_network(const training::Overrides& given, const datasets::Files& files,
                    training::Experiment& experiment) {
  if (has_few_numbers(files) && !given.has("training.learning_rate")) {
    experiment.training.learning_rate = kLearningRateOfFewNumbers;
  }
  if (is_forecast(files)) choose_network_of_forecasts(given, files, experiment);
  if (!has_shapes(files) || are_many(files)) return;
  if (!is_width_given(given)) {
    experiment.network.stem = are_short(files) ? kStemOfShort : std::string(kUsualStem);
  }
  if (!given.has("network.units")) experiment.network.units = kUnitsOfShapes;
  if (!given.has("training.noise")) experiment.training.noise = kNoise;
}

void choose_batch(const training::Overrides& given, const datasets::Files& files,
                  training::Training& training) {
  if (given.has("training.batch")) return;
  const std::int64_t samples = files.size(datasets::Split::kTrain);
  const int batch = is_few(files) && !is_forecast(files) ? kBatchOfFew : kBatch;
  training.batch = static_cast<int>(std::min<std::int64_t>(batch, samples));
}

void choose_steps(const training::Overrides& given, const datasets::Files& files, bool is_fixed,
                  training::Training& training) {
  if (given.has("training.steps") || training.steps > 0) return;
  const double per_epoch =
      static_cast<double>(files.size(datasets::Split::kTrain)) / training.batch;
  if (is_fixed && !given.has("training.epochs")) {
    const double all = static_cast<double>(files.statistics().sequences) / training.batch;
    training.steps = std::max(kStepsOfFew, whole(kEpochsOfFew * all));
  } else {
    const auto most = static_cast<double>(training::kMostSteps);
    training.steps = whole(std::min(training.epochs * per_epoch, most));
  }
  training.epochs = 0;
}

void choose_scores(const training::Overrides& given, const datasets::Files& files, bool is_fixed,
                   training::Experiment& experiment) {
  if (given.has("evaluation.every") || experiment.evaluation.every > 0) return;
  const training::Training& training = experiment.training;
  const double per_epoch =
      static_cast<double>(files.size(datasets::Split::kTrain)) / training.batch;
  experiment.evaluation.every = is_fixed ? std::max<std::int64_t>(1, training.steps / kScoresOfFew)
                                         : std::min(whole(per_epoch), kMostBetweenScores);
}

// Without validation data there is no early stopping. Without early stopping the last weights are
// kept, so the learning rate must fall by then.
void choose_end(const training::Overrides& given, bool has_validation,
                training::Experiment& experiment) {
  if (!has_validation && !given.has("evaluation.patience")) experiment.evaluation.patience = 0;
  if (experiment.evaluation.patience == 0 && !given.has("training.schedule")) {
    experiment.training.schedule = training::Schedule::kCosine;
  }
}

// Records what the run is called, which data it has and how the data is scaled; and no stem in one
// way only, so that runs with "none", "0" and "" are the same.
void name(const datasets::Files& files, training::Experiment& experiment) {
  auto& task = training::files_task(experiment);
  if (experiment.name.empty()) experiment.name = name_of(task.train.front());
  if (task.split_seed == 0) task.split_seed = experiment.seed;
  task.scale = to_string(files.encoding().scale);
  task.sha256 = files.sha256();
  std::string& stem = experiment.network.stem;
  if (training::parse_stem(stem).empty()) stem.clear();
}

Fit fit_into(const Room& room, const datasets::Shape& shape, training::Experiment& experiment) {
  training::Training& training = experiment.training;
  if (experiment.device != "cpu") return {};
  const int steps =
      training.truncate > 0 ? std::min(training.truncate, shape.longest) : shape.longest;
  const auto rows = static_cast<int>(std::ceil(training.batch * room.batches));
  const BatchFit found =
      fit_batch(training::model_config(experiment, shape), steps, rows, room.bytes);
  if (found.batch == rows) return {.memory = found.memory};
  const int wanted = training.batch;
  training.batch = std::max(1, static_cast<int>(found.batch / room.batches));
  return {.memory = found.memory,
          .note = fmt::format("reduced the batch from {} to {} of up to {} to fit into memory",
                              wanted, report::counted(training.batch, "sequence"),
                              report::counted(steps, "step"))};
}

}  // namespace

Placement placement_of(Alignment alignment) {
  switch (alignment) {
    case Alignment::kExact:
      return {.positions = kUsualPositions, .shift = 0};
    case Alignment::kUnclear:
      return {.positions = kUsualPositions, .shift = 0.02};
    case Alignment::kLoose:
      return {.positions = kUsualPositions / 2, .shift = 0.05};
  }
  return {};
}

training::Experiment default_experiment() {
  training::Experiment experiment;
  experiment.variant = "own";
  experiment.task = datasets::FilesTask{};
  experiment.network.units = kUnits;
  experiment.training = {.steps = 0,
                         .batch = kBatch,
                         .learning_rate = kLearningRate,
                         .clip_norm = kClipNorm,
                         .schedule = training::Schedule::kPlateau};
  experiment.training.epochs = kEpochs;
  experiment.evaluation = {.every = 0, .samples = kScoredAtATime, .patience = kPatience};
  return experiment;
}

void choose_preparation(const training::Overrides& given, const datasets::Files& files,
                        training::Experiment& experiment) {
  if (is_forecast(files)) {
    choose_forecast(given, files, experiment);
    return;
  }
  choose_split(given, files, experiment);
  choose_motifs(given, files, training::files_task(experiment));
  choose_shapes(given, files, experiment);
}

// Measures rank 0's machine for all ranks, so that all decide alike.
Room find_room(int runs, Link* link) {
  Ranks ranks(link);
  auto bytes = static_cast<std::size_t>(kShareOfMemory * static_cast<double>(available_memory()));
  ranks.broadcast(std::as_writable_bytes(std::span(&bytes, 1)));
  const auto machines = ranks.gather(datasets::this_machine());
  const auto here = static_cast<double>(std::ranges::count(machines, machines.front()));
  return {bytes, runs * here / ranks.size()};
}

Fit complete(const training::Overrides& given, const datasets::Files& files, const Room& room,
             training::Experiment& experiment) {
  const bool has_validation = files.size(datasets::Split::kValid) > 0;
  const bool is_fixed = is_few(files) && !has_validation;
  choose_network(given, files, experiment);
  choose_batch(given, files, experiment.training);
  if (is_forecast(files)) choose_length_of_forecasts(given, files, experiment);
  Fit fit = fit_into(room, files.shape(), experiment);
  choose_steps(given, files, is_fixed, experiment.training);
  choose_scores(given, files, is_fixed, experiment);
  choose_end(given, has_validation, experiment);
  name(files, experiment);
  return fit;
}

namespace {

std::string forecast_in_words(const datasets::Files& files) {
  const datasets::Forecast& forecast = files.encoding().forecast;
  return fmt::format("horizon {}, {}, history {}", report::counted(forecast.horizon, "step"),
                     season_in_words(files), forecast.history);
}

}  // namespace

std::string choices_in_words(const datasets::Files& files, const training::Experiment& experiment) {
  const datasets::FilesTask& task = training::files_task(experiment);
  const training::Training& training = experiment.training;
  std::string inputs;
  if (!training::parse_stem(experiment.network.stem).empty()) {
    inputs += fmt::format("stem {}, ", experiment.network.stem);
  }
  if (task.context > 1) inputs += fmt::format("context {}, ", task.context);
  if (task.positions > 0) inputs += report::counted(task.positions, "position") + ", ";
  if (training.noise > 0) inputs += fmt::format("noise {}, ", training.noise);
  if (training.shift > 0) inputs += fmt::format("shift {}, ", training.shift);
  if (is_forecast(files)) inputs += forecast_in_words(files) + ", ";
  if (!inputs.empty()) inputs.replace(inputs.size() - 2, 2, "; ");
  const bool stops_early = experiment.evaluation.patience > 0;
  std::string text = fmt::format("{}: {}batch {}, {}{}", sequences_in_words(files), inputs,
                                 training.batch, report::counted(training.steps, "step"),
                                 stops_early               ? " at most"
                                 : task.interval_scale > 0 ? " (found by a first training)"
                                                           : "");
  if (task.folds > 0 && task.fold == task.folds) return text + "; trained on all";
  if (task.folds == 0 || task.fold != 0) return text;
  if (is_forecast(files)) {
    return text + fmt::format("; scored from {} in time, then trained on all",
                              report::counted(task.folds, "origin"));
  }
  return text + fmt::format("; {} by {}-fold cross-validation, then trained on all",
                            stops_early ? "length found" : "scored", task.folds);
}

}  // namespace rwa::workflows

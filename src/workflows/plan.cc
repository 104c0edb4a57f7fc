#include "workflows/plan.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "comm/ranks.h"
#include "datasets/store_file.h"
#include "io/read_file.h"
#include "rwa/errors.h"
#include "training/experiment_toml.h"
#include "workflows/fit.h"

namespace rwa::workflows {
namespace {

namespace fs = std::filesystem;

// What makes a good first model of most data. Chosen on the data of docs/tutorials, none of which
// decides alone.
constexpr int kUnits = 100;
constexpr int kBatch = 32;
constexpr double kEpochs = 100;
constexpr int kPatience = 12;
constexpr double kLearningRate = 3e-3;
constexpr double kClipNorm = 1;
// An epoch of many sequences is too long to wait for a score.
constexpr std::int64_t kMostBetweenScores = 500;
constexpr int kScoredAtATime = 256;

// Of the memory that is there; the rest is for the batches, the data and everybody else.
constexpr double kShareOfMemory = 0.7;

training::Experiment starting_point() {
  training::Experiment experiment;
  experiment.variant = "own";
  experiment.task = datasets::FilesTask{};
  experiment.network.units = kUnits;
  experiment.training = {.steps = 0,
                         .batch = 0,
                         .learning_rate = kLearningRate,
                         .clip_norm = kClipNorm,
                         .schedule = training::Schedule::kPlateau};
  experiment.evaluation = {.every = 0, .samples = kScoredAtATime, .patience = kPatience};
  return experiment;
}

template <class T>
void take(const std::optional<T>& wish, T& field) {
  if (wish) field = *wish;
}

void take(const Wishes& wishes, training::Experiment& experiment) {
  training::Network& network = experiment.network;
  if (wishes.cell) network.cell = parse_cell(*wishes.cell);
  if (wishes.activation) network.activation = parse_activation(*wishes.activation);
  if (wishes.readout) network.readout = parse_readout(*wishes.readout);
  if (wishes.schedule) experiment.training.schedule = training::parse_schedule(*wishes.schedule);
  take(wishes.device, experiment.device);
  take(wishes.units, network.units);
  take(wishes.layers, network.layers);
  take(wishes.embedding, network.embedding);
  take(wishes.bidirectional, network.bidirectional);
  take(wishes.dropout, network.dropout);
  take(wishes.batch, experiment.training.batch);
  take(wishes.steps, experiment.training.steps);
  take(wishes.learning_rate, experiment.training.learning_rate);
  take(wishes.clip_norm, experiment.training.clip_norm);
  take(wishes.truncate, experiment.training.truncate);
  take(wishes.every, experiment.evaluation.every);
  take(wishes.patience, experiment.evaluation.patience);
  if (wishes.seed) experiment.seed = static_cast<std::uint64_t>(*wishes.seed);
}

// "vowels" of "data/vowels.csv.gz".
std::string name_of(const std::string& path) {
  if (path == "-") return "stdin";
  const fs::path file = fs::path(path).lexically_normal();
  const std::string name = (file.has_filename() ? file : file.parent_path()).filename().string();
  const std::string stem = name.substr(0, name.find('.', 1));
  return stem.empty() ? "data" : stem;
}

std::int64_t whole(double value) { return static_cast<std::int64_t>(std::ceil(value)); }

// "fold-2", "seed-1", "fold-2/seed-1", or nothing where there is only one.
fs::path part_of(const Request& request, int fold, std::uint64_t seed) {
  fs::path part;
  if (request.task.folds > 0) part /= fmt::format("fold-{}", fold + 1);
  if (request.repeat > 1) part /= fmt::format("seed-{}", seed);
  return part;
}

void make_folder(const fs::path& folder) {
  if (std::error_code error; !fs::create_directories(folder, error) && error) {
    throw ResourceError(
        fmt::format("{}: cannot make the folder: {}", folder.string(), error.message()));
  }
}

// Without anything to validate on, the last weights are the ones.
void without_validation(training::Experiment& experiment) {
  experiment.evaluation.patience = 0;
  if (experiment.training.schedule == training::Schedule::kPlateau) {
    experiment.training.schedule = training::Schedule::kCosine;
  }
}

struct Room {
  std::size_t bytes;
  double batches;  // that lie there at a time, each a part of one or several whole ones
};

// On rank 0's machine, for all ranks, which must decide the same.
Room find_room(int runs, Link* link) {
  Ranks ranks(link);
  auto bytes = static_cast<std::size_t>(kShareOfMemory * static_cast<double>(available_memory()));
  ranks.broadcast(std::as_writable_bytes(std::span(&bytes, 1)));
  const auto machines = ranks.gather(datasets::this_machine());
  const auto here = static_cast<double>(std::ranges::count(machines, machines.front()));
  return {bytes, std::min(runs, ranks.size()) * here / ranks.size()};
}

void make_room(const Room& room, Planned& planned, Plan& plan) {
  training::Training& training = planned.experiment.training;
  if (planned.experiment.device != "cpu") return;
  const datasets::Shape& shape = planned.files->shape();
  const int steps =
      training.truncate > 0 ? std::min(training.truncate, shape.longest) : shape.longest;
  const auto rows = static_cast<int>(std::ceil(training.batch * room.batches));
  const Fit found = fit(training::model_config(planned.experiment, shape), steps, rows, room.bytes);
  planned.memory = found.memory;
  if (found.batch == rows) return;
  const int batch = std::max(1, static_cast<int>(found.batch / room.batches));
  plan.notes.push_back(fmt::format(
      "{}: batches of {} sequences instead of {}: of up to {} steps no more fit into memory",
      planned.title, batch, training.batch, steps));
  training.batch = batch;
}

}  // namespace

void check(const Request& request) {
  if (request.repeat < 1) {
    throw ConfigError(fmt::format("repeat is {}, expected at least 1", request.repeat));
  }
  if (request.wishes.epochs && !(*request.wishes.epochs > 0)) {
    throw ConfigError(fmt::format("epochs is {}, expected more than 0", *request.wishes.epochs));
  }
  if (request.wishes.epochs && request.wishes.steps) {
    throw ConfigError("found epochs and steps, expected one of them");
  }
}

training::Experiment experiment_of(const Request& request) {
  training::Experiment experiment = starting_point();
  if (!request.config.empty()) {
    const std::string origin = request.config.string();
    training::change_experiment(training::parse_toml(io::read_text(request.config), origin), origin,
                                experiment);
  }
  take(request.wishes, experiment);
  if (!request.task.train.empty()) experiment.task = request.task;
  const auto* task = std::get_if<datasets::FilesTask>(&experiment.task);
  if (task == nullptr || task->train.empty()) {
    throw ConfigError("no data to train on: expected files, a folder, or - for the standard input");
  }
  return experiment;
}

void complete(const Wishes& wishes, const datasets::Files& files,
              training::Experiment& experiment) {
  const std::int64_t samples = files.size(datasets::Split::kTrain);
  training::Training& training = experiment.training;
  if (training.batch == 0)
    training.batch = static_cast<int>(std::min<std::int64_t>(kBatch, samples));
  const double per_epoch = static_cast<double>(samples) / training.batch;
  if (training.steps == 0) training.steps = whole(wishes.epochs.value_or(kEpochs) * per_epoch);
  if (experiment.evaluation.every == 0) {
    experiment.evaluation.every = std::min(whole(per_epoch), kMostBetweenScores);
  }
  if (files.size(datasets::Split::kValid) == 0) without_validation(experiment);
  auto& task = std::get<datasets::FilesTask>(experiment.task);
  if (experiment.name.empty()) experiment.name = name_of(task.train.front());
  task.split_seed = experiment.seed;
  task.sha256 = files.sha256();
}

Plan plan(const Request& request, const datasets::Reading& reading, Link* link) {
  check(request);
  training::Experiment experiment = experiment_of(request);
  if (link == nullptr || link->rank() == 0) make_folder(request.out);
  const auto& task = std::get<datasets::FilesTask>(experiment.task);
  std::shared_ptr files = datasets::open_files(task, experiment.seed, request.out, reading, link);
  return plan(request, std::move(experiment), std::move(files), link);
}

Plan plan(const Request& request, training::Experiment experiment,
          std::shared_ptr<const datasets::Files> read_files, Link* link) {
  Plan plan;
  plan.files = std::move(read_files);
  complete(request.wishes, *plan.files, experiment);
  const std::uint64_t first = experiment.seed;
  const int folds = std::get<datasets::FilesTask>(experiment.task).folds;
  const Room room = find_room(std::max(1, folds) * request.repeat, link);
  for (int fold = 0; fold < std::max(1, folds); ++fold) {
    std::shared_ptr<const datasets::Files> files = plan.files;
    if (folds > 0) files = datasets::with_fold(*plan.files, fold);
    for (int repeat = 0; repeat < request.repeat; ++repeat) {
      Planned planned;
      planned.experiment = experiment;
      planned.files = files;
      planned.experiment.seed = first + static_cast<std::uint64_t>(repeat);
      std::get<datasets::FilesTask>(planned.experiment.task).fold = fold;
      const fs::path part = part_of(request, fold, planned.experiment.seed);
      planned.folder = part.empty() ? request.out : request.out / part;
      planned.title = part.empty() ? experiment.name : experiment.name + " " + part.string();
      make_room(room, planned, plan);
      plan.runs.push_back(std::move(planned));
    }
  }
  return plan;
}

std::string scored_on(const datasets::Files& files) {
  if (files.size(datasets::Split::kTest) > 0) return "the test data";
  return files.size(datasets::Split::kValid) > 0 ? "the validation data" : "the training data";
}

}  // namespace rwa::workflows

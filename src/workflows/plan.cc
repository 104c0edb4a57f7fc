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
#include "io/quote.h"
#include "io/read_file.h"
#include "report/text.h"
#include "rwa/errors.h"
#include "workflows/memory.h"

namespace rwa::workflows {
namespace {

namespace fs = std::filesystem;

// Good defaults for a first model, chosen on the data sets of docs/tutorials together.
constexpr int kUnits = 100;
constexpr int kBatch = 32;
constexpr double kEpochs = 100;
constexpr int kPatience = 12;
constexpr double kLearningRate = 3e-3;
constexpr double kClipNorm = 1;
// An epoch of many sequences would be too long to wait for a score.
constexpr std::int64_t kMostBetweenScores = 500;
constexpr int kScoredAtATime = 256;

// Of the available memory. The rest is for batches, data and other processes.
constexpr double kShareOfMemory = 0.7;

// "vowels" for "data/vowels.csv.gz".
std::string name_of(const std::string& path) {
  if (path == "-") return "stdin";
  const fs::path file = fs::path(path).lexically_normal();
  const std::string name = (file.has_filename() ? file : file.parent_path()).filename().string();
  const std::string stem = name.substr(0, name.find('.', 1));
  return stem.empty() ? "data" : stem;
}

std::int64_t whole(double value) { return static_cast<std::int64_t>(std::ceil(value)); }

// "fold-2", "seed-1" or "fold-2/seed-1"; empty for a single run.
fs::path part_of(const PlannedRun& run, int folds, int repeat) {
  const auto& task = std::get<datasets::FilesTask>(run.experiment.task);
  fs::path part;
  if (folds > 1) part /= fmt::format("fold-{}", task.fold + 1);
  if (repeat > 1) part /= fmt::format("seed-{}", run.experiment.seed);
  return part;
}

// Empty if it is not given or not a text.
std::string text_of(const training::Overrides& settings, std::string_view path) {
  const io::Value* value = settings.get(path);
  const auto* text = value == nullptr ? nullptr : value->get<std::string>();
  return text == nullptr ? "" : *text;
}

void check_repeat(const TrainRequest& request) {
  if (request.repeat >= 1) return;
  throw ConfigError(fmt::format("repeat is {}, expected at least 1", request.repeat));
}

void make_folder(const fs::path& folder) {
  if (std::error_code error; !fs::create_directories(folder, error) && error) {
    throw ResourceError(
        fmt::format("{}: cannot create the folder: {}", folder.string(), error.message()));
  }
}

// Without validation data there is no early stopping. Without early stopping the last weights are
// kept, so the learning rate must fall by then.
void choose_end(const training::Overrides& settings, bool has_validation,
                training::Experiment& experiment) {
  if (!has_validation && !settings.has("evaluation.patience")) experiment.evaluation.patience = 0;
  if (experiment.evaluation.patience == 0 && !settings.has("training.schedule")) {
    experiment.training.schedule = training::Schedule::kCosine;
  }
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

training::Overrides read_config(const fs::path& config, const training::Overrides& above) {
  auto settings = training::Overrides::parse(io::read_text(config), config.string());
  const bool other_files =
      above.has("task.train") || above.has("task.valid") || above.has("task.test");
  if (other_files) settings.remove("task.sha256");
  // `fold` only makes sense with the folds of the same file, and a model named after its cell only
  // with that cell.
  const io::Value* folds = settings.get("task.folds");
  const auto* count = folds == nullptr ? nullptr : folds->get<std::int64_t>();
  if (count == nullptr || *count == 0 || above.has("task.folds")) settings.remove("task.fold");
  if (text_of(settings, "model") == text_of(settings, "network.cell")) settings.remove("model");
  settings.add(above);
  return settings;
}

training::Experiment experiment_of(const training::Overrides& settings) {
  if (const std::string kind = text_of(settings, "task.kind"); !kind.empty() && kind != "files") {
    throw ConfigError(fmt::format(
        "the configuration is for the task {}, which generates its data, expected one for files",
        io::quote(kind)));
  }
  training::Experiment experiment = default_experiment();
  settings.apply(experiment);
  if (std::get<datasets::FilesTask>(experiment.task).train.empty()) {
    throw ConfigError("no data to train on: expected files, a folder, or - for standard input");
  }
  return experiment;
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

Fit complete(const training::Overrides& settings, const datasets::Files& files, const Room& room,
             training::Experiment& experiment) {
  const std::int64_t samples = files.size(datasets::Split::kTrain);
  training::Training& training = experiment.training;
  if (!settings.has("training.batch")) {
    training.batch = static_cast<int>(std::min<std::int64_t>(training.batch, samples));
  }
  Fit fit = fit_into(room, files.shape(), experiment);
  const double per_epoch = static_cast<double>(samples) / training.batch;
  if (!settings.has("training.steps")) {
    training.steps = whole(training.epochs * per_epoch);
    training.epochs = 0;
  }
  if (!settings.has("evaluation.every")) {
    experiment.evaluation.every = std::min(whole(per_epoch), kMostBetweenScores);
  }
  choose_end(settings, files.size(datasets::Split::kValid) > 0, experiment);
  auto& task = std::get<datasets::FilesTask>(experiment.task);
  if (experiment.name.empty()) experiment.name = name_of(task.train.front());
  if (task.split_seed == 0) task.split_seed = experiment.seed;
  task.sha256 = files.sha256();
  return fit;
}

Plan plan(const TrainRequest& request, const datasets::Reading& reading, Link* link) {
  check_repeat(request);
  const training::Experiment experiment = experiment_of(request.settings);
  if (!request.out.empty() && (link == nullptr || link->rank() == 0)) make_folder(request.out);
  const auto& task = std::get<datasets::FilesTask>(experiment.task);
  return plan(request, datasets::open_files(task, experiment.seed, request.out, reading, link),
              link);
}

Plan plan(const TrainRequest& request, std::shared_ptr<const datasets::Files> read_files,
          Link* link) {
  check_repeat(request);
  Plan plan;
  plan.files = std::move(read_files);
  plan.out = request.out;
  training::Experiment experiment = experiment_of(request.settings);
  const auto& task = std::get<datasets::FilesTask>(experiment.task);
  const bool one_fold = request.settings.has("task.fold");
  const int first = one_fold ? task.fold : 0;
  const int end = one_fold ? first + 1 : std::max(1, task.folds);
  const int at_a_time = std::min((end - first) * request.repeat, Ranks(link).size());
  Fit fit = complete(request.settings, *plan.files, find_room(at_a_time, link), experiment);
  if (!fit.note.empty()) plan.notes.push_back(std::move(fit.note));
  for (int fold = first; fold < end; ++fold) {
    std::shared_ptr<const datasets::Files> files = plan.files;
    if (task.folds > 0) files = datasets::with_fold(*plan.files, fold);
    for (int repeat = 0; repeat < request.repeat; ++repeat) {
      PlannedRun run;
      run.experiment = experiment;
      run.files = files;
      run.experiment.seed += static_cast<std::uint64_t>(repeat);
      std::get<datasets::FilesTask>(run.experiment.task).fold = fold;
      const fs::path part = part_of(run, end - first, request.repeat);
      run.title = part.empty() ? experiment.name : experiment.name + " " + part.string();
      place(request.out, part, run);
      run.memory = fit.memory;
      plan.runs.push_back(std::move(run));
    }
  }
  return plan;
}

void place(const fs::path& out, const fs::path& part, PlannedRun& run) {
  if (out.empty()) {
    run.store = std::make_shared<training::MemoryStore>();
    return;
  }
  run.folder = part.empty() ? out : out / part;
  run.store = std::make_shared<training::FolderStore>(run.folder);
}

std::string scored_on(const datasets::Files& files) {
  if (files.size(datasets::Split::kTest) > 0) return "the test data";
  return files.size(datasets::Split::kValid) > 0 ? "the validation data" : "the training data";
}

}  // namespace rwa::workflows

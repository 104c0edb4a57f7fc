#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "datasets/files.h"
#include "input_file.h"
#include "rwa/errors.h"
#include "sealed.h"
#include "targets.h"
#include "training/drifting.h"
#include "training/loop_testing.h"
#include "workflows/inspect.h"
#include "workflows/plan.h"

namespace rwa::fuzz {
namespace {
namespace fs = std::filesystem;
using training::Experiment;

// Whether a configuration describes a network that an experiment can be, as rwa inspect shows it.
void describe_network(const Experiment& experiment) {
  if (std::holds_alternative<datasets::FilesTask>(experiment.task)) return;
  describe(training::model_config(experiment, tasks::facts(experiment.task).shape));
}

// A whole experiment; or a part of one, for rwa train --config.
void read_configuration(std::uint8_t option, Bytes content) {
  const InputFile file(content);
  try {
    if (option % 2 == 1) {
      (void)workflows::experiment_of(workflows::read_config(file.path(), {}));
      return;
    }
    const Experiment experiment = training::parse_experiment(as_text(content), "input");
    require(training::parse_experiment(training::format_experiment(experiment), "written") ==
            experiment);
    describe_network(experiment);
  } catch (const Error&) {
  }
}

// The settings of a data set of the files.
std::string_view settings_of(std::uint8_t option) {
  static constexpr std::array<std::string_view, 14> kSettings = {
      "",
      "folds = 3",
      "split = 0.5\nscale = 'sequence'",
      "task = 'forecast'",
      "task = 'forecast'\nhorizon = 2\nseason = 3\nwindow = 6",
      "task = 'forecast'\nfolds = 2\nhorizon = 1\ninterval = 0.5",
      "task = 'next-step'\nmissing = 'previous'",
      "task = 'numbers'\nscale = 'data'\nmissing = 'zero'",
      "task = 'class'\nwindow = 4\nstride = 2\nbalance = true",
      "task = 'class'\ncontext = 3\npositions = 4\nmissing = 'previous'",
      "task = 'labels'\nlower = true\ntokens = 'words'",
      "task = 'class-per-step'\nkmer = 2",
      "task = 'numbers-per-step'\nmissing = 'previous'",
      "target = ['y']\nfeatures = ['a', 'b']\nid = 'id'\ntime = 'time'"};
  return kSettings[static_cast<std::uint8_t>(option - '0') % kSettings.size()];
}

// A batch of the first samples, and what a model would know about the data.
void check(const datasets::Files& files, const datasets::FilesTask& task) {
  using datasets::Split;
  const datasets::Encoding& encoding = files.encoding();
  require(datasets::parse_encoding(datasets::to_json(encoding), "written") == encoding);
  require(task.fold == task.folds || files.size(Split::kTrain) > 0);
  for (const Split split : {Split::kTrain, Split::kValid, Split::kTest}) {
    std::vector<std::int64_t> samples;
    for (std::int64_t i = 0; i < std::min<std::int64_t>(files.size(split), 8); ++i) {
      samples.push_back(i);
    }
    datasets::Batch batch;
    if (!samples.empty()) files.fill(split, samples, batch);
  }
}

void plan_training(std::uint8_t option, Bytes content) {
  constexpr workflows::Room kRoom{.bytes = std::size_t{1} << 28};
  const InputFile file(content);
  // Without a number of steps, forecasts would be trained to find it.
  const std::string settings = fmt::format("[training]\nsteps = 1\n[task]\ntrain = ['{}']\n{}",
                                           file.path().string(), settings_of(option));
  try {
    const workflows::TrainRequest request{.settings =
                                              training::Overrides::parse(settings, "settings")};
    const Experiment experiment = workflows::experiment_of(request.settings);
    const std::shared_ptr files =
        datasets::open_files(training::files_task(experiment), 1, fs::temp_directory_path());
    const workflows::Plan plan = workflows::plan(request, files, nullptr, kRoom);
    for (const workflows::PlannedRun& run : plan.runs) {
      check(*run.files, training::files_task(run.experiment));
    }
  } catch (const Error&) {
  }
}

// A small run that was interrupted.
class RunFolder {
 public:
  RunFolder() {
    experiment_.network.units = 2;
    experiment_.training.steps = 3;
    experiment_.evaluation.every = 1;
    training::run_quietly(experiment_, folder_.path(), how_);
    const std::string model = training::contents(folder_.path()).at("model.safetensors");
    fs::remove_all(folder_.path());
    training::run_until(experiment_, folder_.path(), 2, how_);
    files_ = training::contents(folder_.path());
    files_["model.safetensors"] = model;
  }

  // Puts the files back, with this content of one of them.
  [[nodiscard]] fs::path with(const std::string& name, std::string_view content) const {
    fs::remove_all(folder_.path());
    fs::create_directory(folder_.path());
    for (const auto& [each, text] : files_) io::put(folder_.path() / each, text);
    io::put(folder_.path() / name, content);
    return folder_.path();
  }
  // Goes on to the end.
  void resume() const { training::run_quietly(experiment_, folder_.path(), how_); }

 private:
  io::TempFolder folder_;
  Experiment experiment_ = training::drifting_experiment();
  const training::How how_{.dataset = std::make_shared<training::Drifting>()};
  std::map<std::string, std::string> files_;
};

// The run is resumed, and then finished, or refused.
void resume(std::uint8_t option, Bytes content) {
  static const RunFolder run;
  static constexpr std::array<const char*, 7> kFiles = {
      "config.toml",       "metrics.jsonl",          "metrics.csv",           "run.json",
      "model.safetensors", "checkpoint.safetensors", "checkpoint.safetensors"};
  const std::size_t which = static_cast<std::uint8_t>(option - '0') % kFiles.size();
  const auto bytes = which == kFiles.size() - 1
                         ? sealed(content)
                         : std::vector<std::uint8_t>(content.begin(), content.end());
  const fs::path folder = run.with(kFiles[which], as_text(bytes));
  try {
    (void)workflows::verify(folder);
  } catch (const Error&) {
  }
  try {
    run.resume();
    require(training::read_run(folder).status == training::Status::kFinished);
  } catch (const Error&) {
  }
}
}  // namespace

std::span<const Target> runs() {
  static constexpr std::array kRuns = {Target{"config", read_configuration},
                                       Target{"dataset", plan_training}, Target{"run", resume}};
  return kRuns;
}

}  // namespace rwa::fuzz

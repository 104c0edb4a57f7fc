#include "workflows/plan.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "comm/ranks.h"
#include "io/folder.h"
#include "io/quote.h"
#include "io/read_file.h"
#include "report/text.h"
#include "rwa/errors.h"
#include "training/run_folder.h"
#include "workflows/findings.h"

namespace rwa::workflows {
namespace {

namespace fs = std::filesystem;

// "fold-2", "seed-1" or "fold-2/seed-1"; empty for a single run.
fs::path part_of(const PlannedRun& run, bool has_folds, int repeat) {
  const auto& task = training::files_task(run.experiment);
  fs::path part;
  if (has_folds) part /= fmt::format("fold-{}", task.fold + 1);
  if (repeat > 1) part /= fmt::format("seed-{}", run.experiment.seed);
  return part;
}

// Empty if it is not given or not a text.
std::string text_of(const training::Overrides& settings, std::string_view path) {
  const io::Value* value = settings.get(path);
  const auto* text = value == nullptr ? nullptr : value->get<std::string>();
  return text == nullptr ? "" : *text;
}

// Without folds: those go with a split of 0.
bool asks_for_validation(const training::Overrides& settings) {
  const io::Value* value = settings.get("task.split");
  const auto* split = value == nullptr ? nullptr : value->get<double>();
  return settings.has("task.valid") || (split != nullptr && *split > 0);
}

// Empty if it was given, or nothing unusual was chosen.
std::string note_on_scale(const training::Overrides& settings, const datasets::Files& files) {
  if (!text_of(settings, "task.scale").empty()) return "";
  return scale_in_words(files.encoding().schema, files.statistics());
}

// Several seeds with test data show how scores spread without folds, if these were not requested.
bool trains_only_on_all(const TrainRequest& request, const training::Experiment& experiment) {
  const datasets::FilesTask& task = training::files_task(experiment);
  return request.repeat > 1 && !task.test.empty() && task.folds > 0 && task.split == 0 &&
         !request.settings.has("task.folds");
}

// Throws ConfigError for values between 0, which is special, and those that are of use.
void refuse_special_values(const training::Overrides& settings,
                           const training::Experiment& experiment) {
  const datasets::FilesTask& task = training::files_task(experiment);
  if (task.folds == 0 && task.split > 0 && task.split < datasets::kLeastSplit) {
    throw ConfigError(fmt::format("{} is {}, expected 0, or {} to {}",
                                  settings.name_of("task.split"), task.split, datasets::kLeastSplit,
                                  datasets::kMostSplit));
  }
  if (experiment.network.layers == 0) {
    throw ConfigError(
        fmt::format("{} is 0, expected at least 1", settings.name_of("network.layers")));
  }
}

// Throws ConfigError if several runs would go to the folder of a single one, whose model and report
// they would replace.
void refuse_folder_of_a_run(const Plan& plan) {
  if (plan.out.empty() || plan.runs.front().folder == plan.out) return;
  std::error_code refused;  // then the folder cannot be written to either
  if (!fs::exists(plan.out / training::kConfigFile, refused)) return;
  throw ConfigError(fmt::format(
      "{}: already holds a single run ({}), and these are {}: use another --out", plan.out.string(),
      training::kConfigFile, report::counted(static_cast<std::int64_t>(plan.runs.size()), "run")));
}

}  // namespace

training::Overrides read_config(const fs::path& config, const training::Overrides& above) {
  auto settings = training::Overrides::parse(io::read_text(config), config.string());
  const bool other_files =
      above.has("task.train") || above.has("task.valid") || above.has("task.test");
  if (other_files) settings.remove("task.sha256");
  // `fold` only makes sense with the folds of the same file, and a model named after its cell only
  // with that cell.
  // Validation data that is asked for is instead of the folds of that run.
  if (asks_for_validation(above)) settings.remove("task.folds");
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
  refuse_special_values(settings, experiment);
  if (training::files_task(experiment).train.empty()) {
    throw ConfigError("no data to train on: expected files, a folder, or - for standard input");
  }
  return experiment;
}

Plan plan(const TrainRequest& request, const datasets::Reading& reading, Link* link) {
  const training::Experiment experiment = experiment_of(request.settings);
  const auto& task = training::files_task(experiment);
  if (link == nullptr || link->rank() == 0) {
    datasets::check_files(task);
    if (!request.out.empty()) io::check_can_write(request.out);
  }
  return plan(request, datasets::open_files(task, experiment.seed, request.out, reading, link),
              link);
}

Plan plan(const TrainRequest& request, const std::shared_ptr<const datasets::Files>& read_files,
          Link* link, const std::optional<Room>& room) {
  training::Experiment experiment = experiment_of(request.settings);
  choose_preparation(request.settings, *read_files, experiment);
  if (trains_only_on_all(request, experiment)) {
    auto& chosen = training::files_task(experiment);
    chosen.fold = chosen.folds;
  }
  const datasets::FilesTask task = training::files_task(experiment);
  Plan plan;
  plan.files = datasets::prepared(*read_files, task);
  plan.out = request.out;
  const bool one_fold = request.settings.has("task.fold") || task.fold > 0;
  const int first = one_fold ? task.fold : 0;
  const int end = one_fold ? first + 1 : std::max(1, task.folds);
  const int at_a_time = std::min((end - first) * request.repeat, Ranks(link).size());
  Fit fit = complete(request.settings, *plan.files, room ? *room : find_room(at_a_time, link),
                     experiment);
  plan.notes.push_back(choices_in_words(*plan.files, experiment));
  if (!fit.note.empty()) plan.notes.push_back(std::move(fit.note));
  if (std::string note = note_on_scale(request.settings, *plan.files); !note.empty()) {
    plan.notes.push_back(std::move(note));
  }
  for (int fold = first; fold < end; ++fold) {
    const std::shared_ptr<const datasets::Files> files =
        fold == task.fold ? plan.files : datasets::with_fold(*plan.files, task, fold);
    for (int repeat = 0; repeat < request.repeat; ++repeat) {
      PlannedRun run;
      run.experiment = experiment;
      run.files = files;
      run.experiment.seed = training::seed_after(experiment.seed, repeat);
      training::files_task(run.experiment).fold = fold;
      const fs::path part = part_of(run, task.folds > 0 && !one_fold, request.repeat);
      run.title = part.empty() ? experiment.name : experiment.name + " " + part.string();
      place(request.out, part, run);
      run.memory = fit.memory;
      plan.runs.push_back(std::move(run));
    }
  }
  refuse_folder_of_a_run(plan);
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

std::string scored_on(const training::Experiment& experiment, const datasets::Files& files) {
  const datasets::FilesTask& task = training::files_task(experiment);
  if (task.fold < task.folds) return "the held-out fold";
  if (files.size(datasets::Split::kTest) > 0) return "the test data";
  const bool validates = files.size(datasets::Split::kValid) > 0;
  return validates ? "the validation data" : "the training data";
}

}  // namespace rwa::workflows

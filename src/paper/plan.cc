#include "paper/plan.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/repeated.h"
#include "comm/ranks.h"
#include "io/existing.h"
#include "io/folder.h"
#include "io/read_file.h"
#include "paper/catalogue.h"
#include "paper/external_files.h"
#include "paper/study.h"
#include "paper/words.h"
#include "rwa/errors.h"
#include "tasks/task.h"
#include "training/loop.h"

namespace rwa::paper {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFileEnding = ".toml";

void require_once(std::string_view what, const std::vector<std::string>& names) {
  const auto twice = repeated(names);
  if (twice) throw ConfigError(fmt::format("{} '{}' is given twice", what, *twice));
}

void check_options(const Request& request) {
  require_once("experiment", request.names);
  require_once("model", request.models);
  const std::int64_t more = request.seeds.value_or(1) - 1;
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  if (request.seed.value_or(1) > kMost - more) {
    throw ConfigError(fmt::format("--seed is {}, expected at most {}: --seeds counts up from it",
                                  *request.seed, kMost - more));
  }
  if (request.quick && request.steps) {
    throw ConfigError("--quick has its own number of steps: use --quick or --steps, not both");
  }
}

// The paper's experiments; if `quick`, only those with a quick length.
std::vector<std::string> names_of_catalogue(bool quick) {
  std::vector<std::string> names;
  for (const Entry& entry : catalogue()) {
    if (is_of_paper(entry) && (!quick || entry.quick_steps)) {
      names.push_back(entry.experiment.name);
    }
  }
  return names;
}

std::vector<std::string> names_asked_for(const Request& request) {
  if (request.names.empty()) {
    if (request.quick) return names_of_catalogue(true);
    throw ConfigError("nothing to run: give experiments (see rwa paper list), all, or --quick");
  }
  if (std::ranges::find(request.names, "all") == request.names.end()) return request.names;
  if (request.names.size() > 1)
    throw ConfigError("'all' includes every experiment of the paper: give no other name");
  return names_of_catalogue(false);
}

std::int64_t steps_of(const Entry& entry, const Request& request) {
  if (!request.quick) return request.steps.value_or(entry.experiment.training.steps);
  if (entry.quick_steps) return *entry.quick_steps;
  std::vector<std::string> quick;
  for (const Entry& other : catalogue()) {
    if (other.quick_steps) quick.push_back(other.experiment.name);
  }
  throw ConfigError(fmt::format("'{}' has no quick length, expected one of: {}",
                                entry.experiment.name, fmt::join(quick, ", ")));
}

bool is_a_model(const std::string& name) {
  const auto of_entry = [&](const Entry& entry) {
    return std::ranges::count(models_of(entry), name) > 0;
  };
  const auto of_study = [&](const Study& study) {
    return std::ranges::count(study.cases, name, &Case::name) > 0;
  };
  return std::ranges::any_of(catalogue(), of_entry) || std::ranges::any_of(studies(), of_study);
}

// In "--model rwa lstm" the second name is parsed as an experiment; no experiment is named like a
// model.
void refuse_models(const Request& request) {
  std::vector<std::string> models = request.models;
  std::ranges::copy_if(request.names, std::back_inserter(models), is_a_model);
  if (models.size() == request.models.size()) return;
  throw ConfigError(fmt::format(
      "'{}' is a model, expected the name of an experiment or a study; separate models with "
      "commas: --model {}",
      models[request.models.size()], fmt::join(models, ",")));
}

// The names come from an untrusted file and become parts of a path.
void require_plain_names(const training::Experiment& experiment, std::string_view origin) {
  for (const std::string& name :
       {experiment.name, experiment.variant, training::model_name(experiment)}) {
    if (!is_plain(name)) throw ConfigError(fmt::format("{}: {}", origin, no_folder(name)));
  }
}

void add_file(const std::string& file, const Request& request, std::vector<PlannedRun>& runs) {
  std::vector<std::string_view> given;
  if (request.quick) given.emplace_back("--quick");
  if (!request.models.empty()) given.emplace_back("--model");
  if (request.steps) given.emplace_back("--steps");
  if (request.seeds) given.emplace_back("--seeds");
  if (request.seed) given.emplace_back("--seed");
  if (request.variant) given.emplace_back("--variant");
  if (request.device) given.emplace_back("--device");
  if (!given.empty()) {
    throw ConfigError(fmt::format("{} defines the whole run: edit the file instead of giving {}",
                                  file, fmt::join(given, ", ")));
  }
  const auto experiment = training::parse_experiment(io::read_text(file), file);
  require_plain_names(experiment, file);
  runs.push_back({experiment, folder_of(experiment, request.out)});
}

// Adds the experiments for every requested seed.
void add_seeds(const std::vector<training::Experiment>& experiments, const Request& request,
               std::vector<PlannedRun>& runs) {
  const std::int64_t first = request.seed.value_or(1);
  for (std::int64_t i = 0; i < request.seeds.value_or(1); ++i) {
    for (training::Experiment experiment : experiments) {
      experiment.seed = static_cast<std::uint64_t>(first + i);
      experiment.device = request.device.value_or(experiment.device);
      runs.push_back({experiment, folder_of(experiment, request.out)});
    }
  }
}

void add_entry(const Entry& entry, const Request& request, std::vector<PlannedRun>& runs) {
  training::Experiment experiment = in_variant(entry, request.variant.value_or(kText));
  experiment.training.steps = steps_of(entry, request);
  std::vector<std::string> models = request.models;
  if (models.empty()) {
    for (const NamedModel& model : entry.models) models.push_back(model.name);
  }
  std::vector<training::Experiment> experiments;
  for (const std::string& model : models) {
    experiments.push_back(with_model(entry, experiment, model));
  }
  add_seeds(experiments, request, runs);
}

void add_study(const Study& study, const Request& request, std::vector<PlannedRun>& runs) {
  if (request.quick || request.variant) {
    throw ConfigError(fmt::format("'{}' is a study and has no {}", study.name,
                                  request.quick ? "quick length" : "variants"));
  }
  std::vector<std::string> models = request.models;
  if (models.empty()) {
    for (const Case& one : study.cases) models.push_back(one.name);
  }
  for (const StudyExperiment& experiment : study.experiments) {
    std::vector<training::Experiment> experiments;
    for (const std::string& model : models) {
      experiments.push_back(experiment_of(experiment.name, study.name, model));
      auto& steps = experiments.back().training.steps;
      steps = request.steps.value_or(steps);
    }
    add_seeds(experiments, request, runs);
  }
}

void require_own_folders(const std::vector<PlannedRun>& runs) {
  for (auto run = runs.begin(); run != runs.end(); ++run) {
    const auto same = std::ranges::find(runs.begin(), run, run->folder, &PlannedRun::folder);
    if (same != run) {
      throw ConfigError(fmt::format("two runs would use the folder {}", run->folder.string()));
    }
  }
}

bool uses_files(const PlannedRun& run) {
  return std::holds_alternative<tasks::MnistTask>(run.experiment.task);
}

}  // namespace

fs::path folder_of(const training::Experiment& experiment, const fs::path& out) {
  return out / id_of(experiment) /
         fmt::format("{}-seed{}", training::model_name(experiment), experiment.seed);
}

std::vector<PlannedRun> plan(const Request& request) {
  check_options(request);
  refuse_models(request);
  std::vector<PlannedRun> runs;
  for (const std::string& name : names_asked_for(request)) {
    if (name.ends_with(kFileEnding)) {
      io::require_existing(name);
      add_file(name, request, runs);
    } else if (fs::exists(fs::path(name) / training::kConfigFile)) {
      throw ConfigError(fmt::format("'{}' is a run folder; to run its experiment, give {}", name,
                                    (fs::path(name) / training::kConfigFile).string()));
    } else if (const Study* study = find_study(name)) {
      add_study(*study, request, runs);
    } else {
      add_entry(find(name, names_of_studies()), request, runs);
    }
  }
  require_own_folders(runs);
  return runs;
}

fs::path check(std::span<const PlannedRun> runs, const fs::path& data, Link* link) {
  fs::path mnist;
  std::vector<tasks::Task> opened;
  Ranks ranks(link);
  for (const PlannedRun& planned : runs) {
    const auto& [experiment, folder] = planned;
    bool finished = false;
    if (ranks.rank() == 0) {
      finished = training::check(experiment, folder);
      if (!finished) io::check_can_write(folder);
    }
    if (ranks.any(finished)) continue;
    if (std::ranges::find(opened, experiment.task) != opened.end()) continue;
    if (mnist.empty() && uses_files(planned)) {
      mnist = find_mnist(data);
      require_mnist(mnist);
    }
    tasks::open_task(experiment.task, experiment.seed, mnist);
    opened.push_back(experiment.task);
  }
  if (!data.empty() && std::ranges::none_of(runs, uses_files)) {
    throw ConfigError("--data is for the MNIST experiments, and none of these is one");
  }
  return mnist;
}

}  // namespace rwa::paper

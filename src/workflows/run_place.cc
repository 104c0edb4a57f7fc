#include "workflows/run_place.h"

#include <string>
#include <system_error>

#include <fmt/format.h>

#include "comm/ranks.h"
#include "io/quote.h"
#include "io/read_file.h"
#include "rwa/errors.h"
#include "training/run_folder.h"

namespace rwa::workflows {
namespace {

namespace fs = std::filesystem;

bool has_this_run(const fs::path& folder, const training::Experiment& experiment) {
  std::error_code refused;  // a folder that cannot be read is not ours
  const fs::path config = folder / training::kConfigFile;
  if (!fs::exists(config, refused)) return false;
  try {
    const auto there = training::parse_experiment(io::read_text(config), config.string());
    return training::differences(there, experiment).empty();
  } catch (const Error&) {
    return false;
  }
}

bool is_unused(const fs::path& folder) {
  std::error_code refused;
  if (!fs::exists(folder, refused)) return true;
  return fs::is_directory(folder, refused) && fs::is_empty(folder, refused);
}

fs::path choose(const fs::path& parent, const fs::path& first,
                const training::Experiment& experiment) {
  for (int number = 1;; ++number) {
    fs::path folder =
        parent / (number == 1 ? experiment.name : fmt::format("{}-{}", experiment.name, number));
    if (is_unused(folder) || has_this_run(folder / first, experiment)) return folder;
  }
}

// Throws ConfigError for a name that would be a folder elsewhere.
void refuse_path_as_name(const training::Overrides& settings) {
  const std::string name = experiment_of(settings).name;
  if (name.find('/') == std::string::npos && name != "." && name != "..") return;
  throw ConfigError(fmt::format("{} is {}, expected a name without slashes: use --out for a folder",
                                settings.name_of("name"), io::quote(name)));
}

// "fold-1" for "runs/fold-1"; empty for "runs".
fs::path part_of(const PlannedRun& run, const fs::path& parent) {
  const fs::path part = run.folder.lexically_relative(parent);
  return part == "." ? fs::path() : part;
}

}  // namespace

Plan plan_below(const fs::path& parent, TrainRequest& request, const fs::path& below, Link* link) {
  refuse_path_as_name(request.settings);
  request.out = parent;
  Plan plan = workflows::plan(request, datasets::Reading{}, link);
  const PlannedRun& run = plan.runs.front();
  Ranks ranks(link);
  const std::string chosen =
      ranks.rank() == 0 ? choose(parent, below / part_of(run, parent), run.experiment).string()
                        : "";
  request.out = plan.out = ranks.gather(chosen).front();
  for (PlannedRun& each : plan.runs) place(plan.out, part_of(each, parent), each);
  return plan;
}

}  // namespace rwa::workflows

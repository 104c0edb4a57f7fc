#include "paper/evidence.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "paper/study.h"
#include "rwa/errors.h"

namespace rwa::paper {
namespace {

Key key_of(const training::Experiment& experiment) {
  return {experiment.name, experiment.variant, training::model_name(experiment)};
}

training::Experiment known_as(const Key& key) {
  return experiment_of(key.experiment, key.variant, key.model);
}

// Empty if the run matches the catalogue or a study.
std::string what_differs(const training::Experiment& found) try {
  training::Experiment known = known_as(key_of(found));
  known.seed = found.seed;
  known.device = found.device;
  known.training.steps = found.training.steps;
  return fmt::format("{}", fmt::join(training::differences(found, known), "; "));
} catch (const ConfigError& error) {
  return error.what();
}

// Sorts by seed; for each seed, the longest and most complete run first.
void sort_by_seed(std::vector<const training::Record*>& runs) {
  const auto order = [](const training::Record* run) {
    return std::tuple(run->experiment.seed, -run->steps, final_of(*run) == nullptr);
  };
  std::ranges::stable_sort(runs, {}, order);
}

// Keeps the first run of each seed. The same seed gives the same run, so another one is not an
// independent sample.
void leave_out_repeated(std::vector<const training::Record*>& runs,
                        std::vector<std::string>& left_out) {
  std::vector<const training::Record*> kept;
  for (const training::Record* run : runs) {
    if (kept.empty() || kept.back()->experiment.seed != run->experiment.seed) {
      kept.push_back(run);
    } else {
      left_out.push_back(fmt::format("{} (the same seed as {}, which is at least as long)",
                                     run->folder.string(), kept.back()->folder.string()));
    }
  }
  runs = std::move(kept);
}

}  // namespace

Sorted sort_runs(const std::vector<training::Record>& records) {
  Sorted sorted;
  for (const training::Record& run : records) {
    const training::Experiment& experiment = run.experiment;
    if (const std::string reason = what_differs(experiment); !reason.empty()) {
      sorted.left_out.push_back(fmt::format("{} ({})", run.folder.string(), reason));
    } else {
      sorted.runs[key_of(experiment)].push_back(&run);
    }
  }
  for (auto& [key, runs] : sorted.runs) {
    sort_by_seed(runs);
    leave_out_repeated(runs, sorted.left_out);
  }
  return sorted;
}

Evidence evidence_of(const training::Record& run) {
  Evidence evidence;
  evidence.curve = curve_of(run);
  evidence.naive = tasks::facts(run.experiment.task).naive;
  const training::Metric* final = final_of(run);
  const std::int64_t all_steps = known_as(key_of(run.experiment)).training.steps;
  if (final != nullptr && final->step >= all_steps) {
    evidence.final = Point{final->step, final->loss, final->accuracy};
  }
  if (run.parameters > 0) evidence.parameters = static_cast<double>(run.parameters);
  // Runs that share a GPU slow each other down, and not equally.
  if (run.steps > 0 && run.had_machine_alone) {
    evidence.seconds_per_step = run.train_seconds / static_cast<double>(run.steps);
  }
  evidence.machine = run.machine;
  return evidence;
}

Library evidence_of(const Runs& runs) {
  Library library;
  for (const auto& [key, records] : runs) {
    for (const training::Record* run : records) library[key].push_back(evidence_of(*run));
  }
  return library;
}

Library evidence_of_authors(const std::filesystem::path& folder) {
  Library library;
  if (folder.empty()) return library;
  for (const Entry& entry : catalogue()) {
    if (!is_of_paper(entry)) continue;
    const std::string& name = entry.experiment.name;
    const tasks::Facts task = tasks::facts(in_variant(entry, kScript).task);
    for (const char* model : {kRwa, kLstm}) {
      auto curve = find_curve(folder, name, model, training::unit_of(task.shape.loss));
      if (!curve) continue;
      library[{name, kScript, model}].push_back({.curve = *std::move(curve),
                                                 .naive = task.naive,
                                                 .final = {},
                                                 .parameters = {},
                                                 .seconds_per_step = {},
                                                 .machine = {}});
    }
  }
  return library;
}

}  // namespace rwa::paper

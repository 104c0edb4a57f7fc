// src/paper/plan.h: what is asked for, and the list of runs that follows. Whatever can be refused
// is refused here, before the first of them starts.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rwa/link.h"
#include "training/experiment.h"

namespace rwa::paper {

struct Request {
  // Of the catalogue and of studies, or "all", the paper's; files of experiments, *.toml.
  std::vector<std::string> names;
  bool quick = false;               // each at its quick length; without names: all that have one
  std::vector<std::string> models;  // or cases of a study; empty: all that it has
  // Absent: as the paper has it, one seed, 1, the text's variant, on the CPU.
  std::optional<std::int64_t> steps, seeds, seed;
  std::optional<std::string> variant, device;
  std::filesystem::path out = "runs";
};

struct PlannedRun {
  training::Experiment experiment;
  std::filesystem::path folder;
};

// OUT/NAME[-VARIANT]/MODEL-seedS
std::filesystem::path folder_of(const training::Experiment& experiment,
                                const std::filesystem::path& out);

// Experiment by experiment, seed by seed, and there model by model. Throws ConfigError for a
// request that makes no sense.
std::vector<PlannedRun> plan(const Request& request);

// Opens what the runs need, and leaves it alone: data, folders of earlier runs. Throws as
// training::run() would in the middle of the work. Returns where MNIST is, where a run needs it;
// `data` is where to look, as find_mnist() has it. Of several ranks the first alone looks at the
// folders.
std::filesystem::path check(std::span<const PlannedRun> runs, const std::filesystem::path& data,
                            Link* link = nullptr);

}  // namespace rwa::paper

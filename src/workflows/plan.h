// src/workflows/plan.h: the runs that a training on files consists of. Settings that are not given
// are chosen here, once the files have been read: defaults < what the data suggest < a configuration
// file < options.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "datasets/files.h"
#include "rwa/link.h"
#include "training/experiment.h"
#include "training/run_store.h"
#include "training/settings.h"

namespace rwa::workflows {

struct TrainRequest {
  training::Overrides settings = {};  // those given
  int repeat = 1;                     // seeds: the first one and those after it
  std::filesystem::path out = {};     // empty: nothing is written
};

struct PlannedRun {
  training::Experiment experiment;
  std::shared_ptr<training::RunStore> store;
  std::filesystem::path folder;  // of the store; empty: memory
  std::string title;
  std::shared_ptr<const datasets::Files> files;
  Memory memory = Memory::kFull;
};

struct Plan {
  std::shared_ptr<const datasets::Files> files;
  // In OUT itself; several in OUT/fold-1, OUT/seed-1, OUT/fold-1/seed-1.
  std::vector<PlannedRun> runs;
  std::vector<std::string> notes;  // choices that may surprise
  std::filesystem::path out;       // as requested
};

// What a training on files starts from.
training::Experiment default_experiment();

// A configuration file, an experiment or a part of one in TOML, with `above` before it. Where files
// are given above, the checksum of the configuration's own is left out. Throws ConfigError.
training::Overrides read_config(const std::filesystem::path& config,
                                const training::Overrides& above);

// The experiment that the settings mean, as far as it is known before the files are read. Throws
// ConfigError.
training::Experiment experiment_of(const training::Overrides& settings);

// Chooses what the settings leave open, for these data.
void complete(const training::Overrides& settings, const datasets::Files& files,
              training::Experiment& experiment);

// Makes the folder, reads the files and plans. Throws ConfigError for settings that cannot be,
// ResourceError where a sequence does not fit into memory, with the bytes and the option that helps,
// and what reading throws. With a link all its ranks call this and have the same plan; rank 0 alone
// makes the folder, reads the data and looks for memory.
Plan plan(const TrainRequest& request, const datasets::Reading& reading, Link* link = nullptr);
// The same with files that have been read.
Plan plan(const TrainRequest& request, std::shared_ptr<const datasets::Files> files,
          Link* link = nullptr);

// Gives a run its store: a folder below OUT, or memory where OUT is empty.
void place(const std::filesystem::path& out, const std::filesystem::path& part, PlannedRun& run);

// What the last score of a run is taken on.
std::string scored_on(const datasets::Files& files);

}  // namespace rwa::workflows

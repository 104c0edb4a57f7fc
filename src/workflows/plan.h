// src/workflows/plan.h: plans the runs of a training on files. Settings that are not given are
// chosen once the files have been read (defaults.h).
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "datasets/files.h"
#include "rwa/link.h"
#include "training/experiment.h"
#include "training/run_store.h"
#include "training/settings.h"
#include "workflows/defaults.h"

namespace rwa::workflows {

inline constexpr int kMostRepeats = 1000;

struct TrainRequest {
  training::Overrides settings = {};  // given settings
  int repeat = 1;                     // seeds, counting up from the given one; to kMostRepeats
  std::filesystem::path out = {};     // empty: nothing is written
};

struct PlannedRun {
  training::Experiment experiment;
  std::shared_ptr<training::RunStore> store;
  std::filesystem::path folder;  // of the store; empty: in memory
  std::string title;
  std::shared_ptr<const datasets::Files> files;
  Memory memory = Memory::kFull;
};

struct Plan {
  std::shared_ptr<const datasets::Files> files;
  // A single run is in OUT itself, several are in OUT/fold-1, OUT/seed-1 or OUT/fold-1/seed-1.
  std::vector<PlannedRun> runs;
  std::vector<std::string> notes;  // choices that the user should know of
  std::filesystem::path out;       // as requested
};

// Reads a configuration file (TOML, a whole experiment or a part of one), overridden by `above`. If
// `above` names files, the checksum in the configuration is dropped. Throws ConfigError.
training::Overrides read_config(const std::filesystem::path& config,
                                const training::Overrides& above);

// The experiment of these settings, as far as it is known before the files are read. Throws
// ConfigError.
training::Experiment experiment_of(const training::Overrides& settings);

// Reads the files and plans; writes nothing. Throws ConfigError for impossible settings,
// ResourceError if a sequence does not fit into memory (naming the options that help), and whatever
// reading throws. With a link, all ranks call this and get the same plan; only rank 0 reads the data
// and measures the memory.
Plan plan(const TrainRequest& request, const datasets::Reading& reading, Link* link = nullptr);
// The same for files that have been read already. Without `room`, measures the memory for its runs.
Plan plan(const TrainRequest& request, const std::shared_ptr<const datasets::Files>& files,
          Link* link = nullptr, const std::optional<Room>& room = {});

// Gives a run its store: a folder below OUT, or memory if OUT is empty.
void place(const std::filesystem::path& out, const std::filesystem::path& part, PlannedRun& run);

// Names the data of the final score: "the test data", "the held-out fold", "the validation data" or
// "the training data".
std::string scored_on(const training::Experiment& experiment, const datasets::Files& files);

}  // namespace rwa::workflows

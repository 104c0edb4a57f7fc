// src/workflows/plan.h: what is asked for of a training on files, and the runs that follow from it. Whatever
// is not said is chosen here, once the files have been read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "datasets/files.h"
#include "rwa/link.h"
#include "training/experiment.h"

namespace rwa::workflows {

// What somebody may say about a run; the names are those of its configuration.
struct Wishes {
  std::optional<std::string> cell, activation, readout, schedule, device;
  std::optional<int> units, layers, embedding, batch, patience, truncate;
  std::optional<bool> bidirectional;
  std::optional<double> dropout, learning_rate, clip_norm;
  std::optional<std::int64_t> steps, every, seed;
  std::optional<double> epochs;  // instead of steps: times each sequence is seen at most
};

struct Request {
  datasets::FilesTask task;
  Wishes wishes;
  // An experiment, or a part of one, in TOML, below the wishes; empty: none.
  std::filesystem::path config;
  int repeat = 1;  // seeds: the first one and those after it
  std::filesystem::path out;
};

struct Planned {
  training::Experiment experiment;
  std::filesystem::path folder;
  std::string title;
  std::shared_ptr<const datasets::Files> files;
  Memory memory = Memory::kFull;
};

struct Plan {
  std::shared_ptr<const datasets::Files> files;
  std::vector<Planned> runs;  // in OUT itself; several in OUT/fold-1, OUT/seed-1, OUT/fold-1/seed-1
  std::vector<std::string> notes;  // what was chosen and may surprise
};

// The experiment that a request means, as far as it is known before the files are read: nothing is said
// about steps, batches and evaluations that the request does not say (0). Throws ConfigError.
training::Experiment experiment_of(const Request& request);

// Throws ConfigError for wishes that cannot all be granted.
void check(const Request& request);

// Completes it for these data.
void complete(const Wishes& wishes, const datasets::Files& files, training::Experiment& experiment);

// Makes the folder, reads the files and plans. Throws ConfigError for what makes no sense, ResourceError
// where a sequence does not fit into memory, with the bytes and the option that helps, and what reading
// throws. With a link all its ranks call this and have the same plan; rank 0 alone makes the folder,
// reads the data and asks for memory.
Plan plan(const Request& request, const datasets::Reading& reading, Link* link = nullptr);
// The same with files that have been read, and the experiment they were read for.
Plan plan(const Request& request, training::Experiment experiment,
          std::shared_ptr<const datasets::Files> files, Link* link = nullptr);

// What the last score of a run is taken on.
std::string scored_on(const datasets::Files& files);

}  // namespace rwa::workflows

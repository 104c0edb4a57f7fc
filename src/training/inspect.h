// src/training/inspect.h: whether a folder may be used for an experiment, and holding it meanwhile.
#pragma once

#include <filesystem>
#include <optional>

#include "io/descriptor.h"
#include "training/checkpoint.h"
#include "training/experiment.h"

namespace rwa::training {

// What a run finds in its folder.
struct Found {
  bool configured = false;  // config.toml is there, and exactly this experiment
  bool finished = false;
  std::optional<Checkpoint> checkpoint;  // where to go on
};

// Changes nothing. Throws ConfigError where the folder is another experiment's or nobody's, with
// the differences, has more steps behind it than are asked for, or has a model that a new start
// would remove; ModelFileError, InputError and ResourceError for files that are damaged or cannot
// be read.
// One that ended because its time was used up is not finished for who gives it more (Options).
Found inspect(const Experiment& experiment, const std::filesystem::path& folder,
              const std::optional<double>& time_budget = {});

// Makes the folder where there is none, and keeps other processes out of it: they get a
// ConfigError. A process that dies gives it up.
class FolderLock {
 public:
  explicit FolderLock(const std::filesystem::path& folder);

 private:
  io::Descriptor descriptor_;
};

}  // namespace rwa::training

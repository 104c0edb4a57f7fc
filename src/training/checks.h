// src/training/checks.h: whether an experiment can be run at all.
#pragma once

#include <filesystem>

#include "datasets/dataset.h"
#include "training/experiment.h"

namespace rwa::training {

// Before the data are there; whether they and the network fit each other is left out where only
// files say it. Throws ConfigError and ResourceError, which name the folder.
void check_experiment(const Experiment& experiment, const std::filesystem::path& folder);
// With its data.
void check_experiment(const Experiment& experiment, const datasets::Dataset& dataset,
                      const std::filesystem::path& folder);

}  // namespace rwa::training

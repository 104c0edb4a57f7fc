// src/run/checks.h: whether an experiment can be run at all.
#pragma once

#include <filesystem>

#include "data/dataset.h"
#include "run/experiment.h"

namespace rwa::run {

// Before the data are there; whether they and the network fit each other is left out where only
// files say it. Throws ConfigError and ResourceError, which name the folder.
void check_experiment(const Experiment& experiment, const std::filesystem::path& folder);
// With its data.
void check_experiment(const Experiment& experiment, const data::Dataset& dataset,
                      const std::filesystem::path& folder);

}  // namespace rwa::run

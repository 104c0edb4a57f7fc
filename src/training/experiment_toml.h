// src/training/experiment_toml.h: experiments in TOML that somebody else has taken apart: files that
// hold an experiment and more.
#pragma once

#include <string_view>

#include "training/experiment.h"
#include "training/toml.h"

namespace rwa::training {

// Throws ConfigError with `origin`, line and column for text that is not TOML.
toml::table parse_toml(std::string_view text, std::string_view origin);

// As parse_experiment(); whatever in `table` is not of the experiment must have been taken out.
Experiment read_experiment(const toml::table& table, std::string_view origin);

// Sets the fields that stand in `table` and leaves the others. Throws as parse_experiment() does.
void change_experiment(const toml::table& table, std::string_view origin, Experiment& experiment);

}  // namespace rwa::training

// cli/train_options.h: the options of training, which `rwa train` and `rwa tune` share.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "own/plan.h"
#include "run/loop.h"
#include "runner.h"

namespace rwa::cli {

struct TrainOptions {
  own::Request request;
  int threads;
  int jobs = 1;
  std::optional<std::string> time_budget;

  TrainOptions();
};

// DATA, --valid, --test, --split and all that says how they are read.
void add_training_data(CLI::App& command, data::FilesTask& task);
void add_network(CLI::App& command, own::Wishes& wishes);
void add_optimiser(CLI::App& command, own::Wishes& wishes);
void add_machine(CLI::App& command, TrainOptions& options);

// Reads and plans, saying how far it is and what was found.
own::Plan read_and_plan(const own::Request& request);
// For so many runs.
run::Options loop_options(const TrainOptions& options, int runs);
Run run_of(const own::Planned& planned, const std::optional<double>& time_budget = {});

}  // namespace rwa::cli

// cli/train_options.h: the options of training, which `rwa train` and `rwa tune` share.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "runner.h"
#include "training/loop.h"
#include "workflows/plan.h"

namespace rwa::cli {

struct TrainOptions {
  workflows::Request request;
  int threads;
  int jobs = 1;
  std::optional<std::string> time_budget;

  TrainOptions();
};

// DATA, --valid, --test, --split and all that says how they are read.
void add_training_data(CLI::App& command, datasets::FilesTask& task);
void add_network(CLI::App& command, workflows::Wishes& wishes);
void add_optimiser(CLI::App& command, workflows::Wishes& wishes);
void add_machine(CLI::App& command, TrainOptions& options);

// Reads and plans, saying how far it is and what was found.
workflows::Plan read_and_plan(const workflows::Request& request);
// For so many runs.
training::Options loop_options(const TrainOptions& options, int runs);
Run run_of(const workflows::Planned& planned, const std::optional<double>& time_budget = {});

}  // namespace rwa::cli

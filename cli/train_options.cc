#include "train_options.h"

#include <algorithm>

#include <fmt/format.h>

#include "data_options.h"
#include "interrupt.h"
#include "ranks.h"
#include "rwa/cells.h"
#include "rwa/device.h"
#include "say.h"
#include "words.h"

namespace rwa::cli {

TrainOptions::TrainOptions() : threads(usual_threads()) {}

void add_training_data(CLI::App& command, datasets::FilesTask& task) {
  // A --config may say it.
  add_data(command, task, "Files, a folder, or - for the standard input")->required(false);
  command.add_option("--valid", task.valid, "Files to validate on")->option_text("DATA");
  command.add_option("--test", task.test, "Files for the last score")->option_text("DATA");
  command
      .add_option("--split", task.split,
                  "Without --valid: the share of each class that is validated on; 0: none")
      ->capture_default_str();
  command.add_flag("--balance", task.balance, "In training every class as often as any other");
  add_preparation(command, task);
}

void add_network(CLI::App& command, workflows::Wishes& wishes) {
  constexpr const char* kGroup = "The network";
  const auto add = [&](const char* name, auto& wish, const std::string& description) {
    command.add_option(name, wish, description)->group(kGroup);
  };
  add("--cell", wishes.cell, "One of " + cell_names() + " (default: rwa)");
  add("--units", wishes.units, "Of each layer and direction");
  add("--layers", wishes.layers, "Recurrent layers, one above the other");
  command.add_flag("--bidirectional", wishes.bidirectional, "Each layer reads both ways")
      ->group(kGroup);
  add("--dropout", wishes.dropout, "The share of a layer's outputs hidden in training");
  add("--embedding", wishes.embedding, "Learned numbers that stand for a symbol; 0: one-hot");
  add("--readout", wishes.readout, "last, mean or attention");
  add("--activation", wishes.activation, "tanh or identity");
}

void add_optimiser(CLI::App& command, workflows::Wishes& wishes) {
  constexpr const char* kGroup = "Training";
  const auto add = [&](const char* name, auto& wish, const char* description) {
    command.add_option(name, wish, description)->group(kGroup);
  };
  add("--epochs", wishes.epochs, "How often each sequence is seen at most");
  add("--steps", wishes.steps, "The same in batches");
  add("--batch", wishes.batch, "Sequences in a batch");
  add("--learning-rate", wishes.learning_rate, "At the beginning");
  add("--schedule", wishes.schedule, "plateau (default), cosine or constant");
  add("--clip-norm", wishes.clip_norm, "Longer gradients are shortened to it; 0: never");
  add("--every", wishes.every, "Steps between validations");
  add("--patience", wishes.patience, "Validations without a better score before the end; 0: never");
  add("--truncate", wishes.truncate,
      "Learn from long sequences in parts of so many steps: the state is carried over, gradients "
      "are cut");
}

void add_machine(CLI::App& command, TrainOptions& options) {
  command.add_option("--seed", options.request.wishes.seed, "The same seed, the same result");
  command.add_option("--device", options.request.wishes.device, "cpu (default), cuda or cuda:N");
  command
      .add_option("--threads", options.threads, "Threads (default: the cores of a rank, at most 8)")
      ->capture_default_str();
  command
      .add_option("--jobs", options.jobs,
                  "Runs at a time (of each rank); they share the threads or the GPU")
      ->capture_default_str();
}

workflows::Plan read_and_plan(const workflows::Request& request) {
  workflows::Plan plan = workflows::plan(request, {}, all_ranks());
  const datasets::Files& files = *plan.files;
  const datasets::Statistics& seen = files.statistics();
  say("{} sequences of {} to {} steps; {} to train on, {} to validate, {} to test\n",
      count(seen.sequences), count(datasets::shortest(seen)), count(datasets::longest(seen)),
      count(files.size(datasets::Split::kTrain)), count(files.size(datasets::Split::kValid)),
      count(files.size(datasets::Split::kTest)));
  for (const std::string& note : plan.notes) say("{}\n", note);
  return plan;
}

training::Options loop_options(const TrainOptions& options, int runs) {
  check_count("--threads", options.threads, kMostThreads);
  check_count("--jobs", options.jobs, kMostJobs);
  const int jobs = jobs_of_rank(runs, options.jobs);
  return {.threads = std::max(1, options.threads / jobs),
          .share = jobs,
          .stop = &watch_for_interrupts()};
}

Run run_of(const workflows::Planned& planned, const std::optional<double>& time_budget) {
  return {.experiment = planned.experiment,
          .folder = planned.folder,
          .title = planned.title,
          .work_of_step = 1,
          .dataset = planned.files,
          .time_budget = time_budget,
          .memory = planned.memory,
          .scored_on = workflows::scored_on(*planned.files)};
}

}  // namespace rwa::cli

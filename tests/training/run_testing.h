// tests/training/run_testing.h: experiments of a second or less, and comparison of run folders.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>

#include <unistd.h>

#include "io/io_testing.h"
#include "tasks/task.h"
#include "training/checkpoint.h"
#include "training/experiment.h"
#include "training/run_folder.h"

namespace rwa::training {

// Puts io::TempFolder into memory if possible: these tests sync thousands of times but only check
// what is written in which order.
inline const bool kInMemory =
    ::access("/dev/shm", W_OK) == 0 && ::setenv("TEST_TMPDIR", "/dev/shm", 0) == 0;

inline Experiment small_experiment(const tasks::Task& task, Cell cell = Cell::kRwa) {
  Experiment experiment;
  experiment.name = "small";
  experiment.seed = 7;
  experiment.task = task;
  experiment.network = {.cell = cell, .units = 8};
  // The last step has no regular evaluation, and the last batch of test samples is not full.
  experiment.training = {.steps = 18, .batch = 6};
  experiment.evaluation = {.every = 4, .samples = 5};
  return experiment;
}

inline Experiment small_adding(Cell cell = Cell::kRwa) {
  return small_experiment(tasks::AddingTask{.steps = 10, .train = 50, .test = 23}, cell);
}
inline Experiment small_copy(Cell cell = Cell::kRwa) {
  return small_experiment(
      tasks::CopyTask{
          .remember = 2, .delay = 5, .symbols = 3, .delimiter_places = 5, .train = 50, .test = 23},
      cell);
}
inline Experiment small_grammar(Cell cell = Cell::kRwa) {
  return small_experiment(tasks::GrammarTask{.train = 50, .test = 23}, cell);
}

inline Experiment small_autoencode(Cell cell = Cell::kRwa) {
  Experiment experiment = small_experiment(
      tasks::AutoencodeTask{.longest = 4, .symbols = 3, .train = 50, .test = 23}, cell);
  experiment.model = "both-ways";
  experiment.network.layers = 2;
  experiment.network.bidirectional = true;
  experiment.network.dropout = 0.2;
  experiment.network.readout = Readout::kAttention;
  return experiment;
}

// Returns the content of every file of a folder.
inline std::map<std::string, std::string> contents(const std::filesystem::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    files[entry.path().filename().string()] = io::get(entry.path());
  }
  return files;
}

// Expects equal runs, except for the times, no matter how often they were interrupted.
inline void expect_same_run(const std::filesystem::path& found,
                            const std::filesystem::path& expected) {
  for (const auto file : {kConfigFile, kMetricsFile, kModelFile}) {
    EXPECT_EQ(io::get(found / file), io::get(expected / file)) << file;
  }
  const Checkpoint a = read_checkpoint(found / kCheckpointFile);
  const Checkpoint b = read_checkpoint(expected / kCheckpointFile);
  EXPECT_EQ(a.state.step, b.state.step);
  EXPECT_EQ(a.state.metrics, b.state.metrics);
  EXPECT_EQ(a.state.loss_sum, b.state.loss_sum);
  EXPECT_EQ(a.state.loss_count, b.state.loss_count);
  EXPECT_EQ(a.state.rule.first, b.state.rule.first);
  EXPECT_EQ(a.state.best.loss, b.state.best.loss);
  EXPECT_EQ(a.state.best.step, b.state.best.step);
  EXPECT_EQ(a.state.best.evaluations_without, b.state.best.evaluations_without);
  EXPECT_EQ(a.state.reductions, b.state.reductions);
  EXPECT_EQ(a.optimizer_steps, b.optimizer_steps);
  ASSERT_EQ(a.tensors.size(), b.tensors.size());
  for (std::size_t i = 0; i < a.tensors.size(); ++i) {
    EXPECT_EQ(a.tensors[i].name, b.tensors[i].name);
    EXPECT_EQ(io::as_text(std::as_bytes(std::span(a.tensors[i].values))),
              io::as_text(std::as_bytes(std::span(b.tensors[i].values))))
        << a.tensors[i].name;
  }
}

}  // namespace rwa::training

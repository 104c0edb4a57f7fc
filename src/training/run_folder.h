// src/training/run_folder.h: what a run leaves behind, and how it is read again:
//   config.toml              the experiment, complete
//   metrics.jsonl            one line per evaluation, flushed
//   checkpoint.safetensors   where a run goes on (checkpoint.h)
//   model.safetensors        the network, when the run was finished last
//   run.json                 build, machine, times, final scores
// What is kept of a run for a repository (paper/results.h) is config.toml, run.json, and
//   metrics.csv              some of its evaluations, in the place of metrics.jsonl
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "training/experiment.h"
#include "training/metrics.h"
#include "training/run_file.h"

namespace rwa::training {

inline constexpr std::string_view kConfigFile = "config.toml";
inline constexpr std::string_view kMetricsFile = "metrics.jsonl";
inline constexpr std::string_view kKeptMetricsFile = "metrics.csv";
inline constexpr std::string_view kCheckpointFile = "checkpoint.safetensors";
inline constexpr std::string_view kModelFile = "model.safetensors";
inline constexpr std::string_view kRunFile = "run.json";

// A run as a reader finds it, finished or not.
struct Record {
  std::filesystem::path folder;
  Experiment experiment;
  std::vector<Metric> metrics;
  Status status = Status::kRunning;
  End end = End::kSteps;                  // of one that is finished
  std::int64_t steps = 0;                 // done
  std::optional<std::int64_t> best_step;  // whose weights the model has, where not the last ones
  double train_seconds = 0;               // in training steps, without evaluation
  std::int64_t parameters = 0;
  std::string machine;            // for people: what decides the times
  bool had_machine_alone = true;  // else its times say little
};

// A last line of metrics.jsonl without an end is one that is being written, or was when the run was
// killed: it is left out. Throws ConfigError, InputError and ResourceError, each naming the file.
Record read_run(const std::filesystem::path& folder);
// What run.json says, in a record.
void summarise(const RunSummary& summary, Record& record);
// The score at the end, on the whole test set or what is in its place; nullptr where the run has
// none, or not yet.
const Metric* final_of(const Record& record);
// The file of the model that a path names: itself, or in the folder of a run its model. Throws
// ConfigError for a folder without one.
std::filesystem::path model_file(const std::filesystem::path& path);
// Every folder under `root`, or `root` itself, that holds a config.toml, in alphabetical order.
// Throws InputError where `root` is not a folder.
std::vector<std::filesystem::path> find_runs(const std::filesystem::path& root);

}  // namespace rwa::training

// src/training/run_folder.h: the files of a run folder, and how to read them:
//   config.toml              the complete experiment
//   metrics.jsonl            one line per evaluation, flushed
//   checkpoint.safetensors   the state to resume from (checkpoint.h)
//   model.safetensors        the network of the finished run
//   report.html              the page about it, of a run on files
//   run.json                 build, machine, times, final scores
// A run condensed for a repository (paper/results.h) has config.toml, run.json and
//   metrics.csv              some of its evaluations, instead of metrics.jsonl
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
inline constexpr std::string_view kReportFile = "report.html";

// A run as a reader finds it, finished or not.
struct Record {
  std::filesystem::path folder;
  Experiment experiment;
  std::vector<Metric> metrics;
  Status status = Status::kRunning;
  End end = End::kSteps;                  // if finished
  std::int64_t steps = 0;                 // completed
  std::optional<std::int64_t> best_step;  // of the model's weights, unless they are the last ones
  double interval_scale = 0;              // as in RunFile
  double train_seconds = 0;               // without evaluations
  std::int64_t parameters = 0;
  std::string machine;            // human-readable, to interpret the times
  bool had_machine_alone = true;  // false: times are not comparable
  std::vector<NamedScore> scores = {};
  std::vector<BaselineScores> baselines = {};  // without final metrics
};

// Ignores an incomplete last line of metrics.jsonl, which is being written or was when the run was
// killed. Throws ConfigError, InputError and ResourceError, naming the file.
Record read_run(const std::filesystem::path& folder);
// Copies the content of run.json to a record.
void summarise(const RunSummary& summary, Record& record);
// Returns the final score, on the whole test set or its replacement; nullptr if the run has none
// (yet).
const Metric* final_of(const Record& record);
// Returns the runs one or two folders below, as of --folds and --repeat.
std::vector<std::filesystem::path> find_parts(const std::filesystem::path& folder);
// Whether a path names a file of a run, there or still to come: the folder holds a run, or several.
bool is_file_of_run(const std::filesystem::path& path);
// Returns the model file that a path refers to: the path itself, or the model in a run folder.
// Throws ConfigError for a folder without a model.
std::filesystem::path model_file(const std::filesystem::path& path);
// Returns `root` and every folder under it that contains a config.toml, in alphabetical order.
// Throws InputError if `root` is not a folder.
std::vector<std::filesystem::path> find_runs(const std::filesystem::path& root);

}  // namespace rwa::training

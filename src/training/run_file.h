// src/training/run_file.h: run.json: the progress, build, machine and times of a run.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "training/experiment.h"
#include "training/metrics.h"

namespace rwa::training {

// A killed run stays "running" until it is resumed.
enum class Status { kRunning, kFinished, kInterrupted, kDiverged };

std::string_view to_string(Status status);
// Throws ConfigError.
Status parse_status(std::string_view name);

// What ended a run: its last step, early stopping, the time budget, or the caller
// (Options::finish).
enum class End { kSteps, kPatience, kTime, kRequest };

std::string_view to_string(End end);
// Throws ConfigError.
End parse_end(std::string_view name);
inline void from_name(std::string_view name, Status& value) { value = parse_status(name); }
inline void from_name(std::string_view name, End& value) { value = parse_end(name); }

struct RunFile {
  Status status = Status::kRunning;
  std::string started;  // UTC, from utc_now()
  std::int64_t steps = 0;
  std::optional<std::int64_t> best_step = {};  // if there is a best evaluation
  double train_seconds = 0;
  double host_wait_seconds = 0;  // part of train_seconds spent waiting for data
  double evaluate_seconds = 0;
  std::int64_t parameters = 0;
  int ranks = 1;
  int threads = 1;              // per rank
  int share = 1;                // runs that share the GPU
  double interval_scale = 0;    // of a finished run with intervals; else 0
  std::optional<End> end;       // if finished
  std::optional<Metric> final;  // if finished and there is a test or validation set
};

// Adds build and machine, and the current time as "ended" unless the run is running.
void write_run_file(const std::filesystem::path& file, const Experiment& experiment,
                    const RunFile& content);

// A score by which runs are compared: "accuracy, %" 81.2.
struct NamedScore {
  std::string name;
  double value = 0;
};
// A baseline beside the final score.
struct BaselineScores {
  std::string name;
  Metric final = {};
  std::vector<NamedScore> scores = {};
};
// What a finished run has beside its final metric.
struct RunScores {
  std::vector<NamedScore> scores = {};  // the one that matters most first
  std::vector<BaselineScores> baselines = {};
  std::string remark = {};  // empty: none
};
// Adds them to the file of a finished run.
void add_scores(const std::filesystem::path& file, const RunScores& results);

// The parts of run.json that readers need.
struct RunSummary {
  Status status = Status::kRunning;
  End end = End::kSteps;             // if finished
  std::int64_t steps = 0;            // completed
  std::int64_t steps_requested = 0;  // at the time of writing
  std::optional<std::int64_t> best_step;
  double interval_scale = 0;
  double train_seconds = 0;
  double evaluate_seconds = 0;
  std::int64_t parameters = 0;
  std::string machine;            // human-readable
  bool had_machine_alone = true;  // false: times are not comparable
  std::vector<NamedScore> scores = {};
  std::vector<BaselineScores> baselines = {};  // without final metrics
};
// Throws InputError if the file is malformed.
RunSummary read_run_file(const std::filesystem::path& file);

// Returns the current time, such as 2017-03-06T12:00:00Z.
std::string utc_now();

// Returns the commit of the sources, or "unknown" if built outside a repository.
std::string_view commit();
std::string compiler();

}  // namespace rwa::training

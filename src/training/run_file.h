// src/training/run_file.h: run.json: how far a run is, with which build, on which machine, in
// what time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "training/experiment.h"
#include "training/metrics.h"

namespace rwa::training {

// A run that was killed is "running" until it goes on.
enum class Status { kRunning, kFinished, kInterrupted, kDiverged };

std::string_view to_string(Status status);
// Throws ConfigError.
Status parse_status(std::string_view name);

// What came first: all steps were done, nothing improved for long, the time was used up, or the
// caller wanted an end (Options::finish).
enum class End { kSteps, kPatience, kTime, kRequest };

std::string_view to_string(End end);
// Throws ConfigError.
End parse_end(std::string_view name);
inline void from_name(std::string_view name, Status& value) { value = parse_status(name); }
inline void from_name(std::string_view name, End& value) { value = parse_end(name); }

struct RunFile {
  Status status = Status::kRunning;
  std::string started;  // UTC, as utc_now() has it
  std::int64_t steps = 0;
  std::optional<std::int64_t> best_step = {};  // where there is a best
  double train_seconds = 0;
  double host_wait_seconds = 0;  // of these: until the data was there
  double evaluate_seconds = 0;
  std::int64_t parameters = 0;
  int ranks = 1;
  int threads = 1;              // of each
  int share = 1;                // runs on the GPU at a time
  std::optional<End> end;       // when it is finished
  std::optional<Metric> final;  // likewise, where there is anything to be scored on
};

// Adds what the build and the machine know of themselves; "ended" is now, unless it is running.
void write_run_file(const std::filesystem::path& file, const Experiment& experiment,
                    const RunFile& content);

// What a reader needs of it.
struct RunSummary {
  Status status = Status::kRunning;
  End end = End::kSteps;             // of one that is finished
  std::int64_t steps = 0;            // done
  std::int64_t steps_asked_for = 0;  // when this was written
  std::optional<std::int64_t> best_step;
  double train_seconds = 0;
  double evaluate_seconds = 0;
  std::int64_t parameters = 0;
  std::string machine;            // for people
  bool had_machine_alone = true;  // else its times say little
};
// Throws InputError where the file is damaged.
RunSummary read_run_file(const std::filesystem::path& file);

// Such as 2017-03-06T12:00:00Z.
std::string utc_now();

// Of the sources, or "unknown" where they were built outside a repository.
std::string_view commit();
std::string compiler();

}  // namespace rwa::training

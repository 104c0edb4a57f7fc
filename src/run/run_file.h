// src/run/run_file.h: run.json: how far a run is, with which build, on which machine, in what time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "run/experiment.h"
#include "run/metric.h"
#include "run/status.h"

namespace rwa::run {

struct RunFile {
  Status status = Status::kRunning;
  std::string started;  // UTC, as utc_now() has it
  std::int64_t steps = 0;
  double train_seconds = 0;
  double host_wait_seconds = 0;  // of these: until the data was there
  double evaluate_seconds = 0;
  std::int64_t parameters = 0;
  int threads = 1;
  int share = 1;                // runs on the GPU at a time
  std::optional<Metric> final;  // when it is finished
};

// Adds what the build and the machine know of themselves; "ended" is now, unless it is running.
void write_run_file(const std::filesystem::path& file, const Experiment& experiment,
                    const RunFile& content);

// What a reader needs of it.
struct RunSummary {
  Status status = Status::kRunning;
  std::int64_t steps = 0;
  double train_seconds = 0;
  std::int64_t parameters = 0;
  std::string machine;            // for people
  bool had_machine_alone = true;  // else its times say little
};
// Throws InputError where the file is damaged.
RunSummary read_run_file(const std::filesystem::path& file);

// Such as 2017-03-06T12:00:00Z.
std::string utc_now();

}  // namespace rwa::run

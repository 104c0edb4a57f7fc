// src/paper/results.h: the small part of each run that is kept in a repository: its configuration,
// its run.json and thinned metrics. training::read_run() reads it like any run.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "report/table.h"
#include "training/metrics.h"
#include "training/run_folder.h"

namespace rwa::paper {

// Thins the metrics of a run. Keeps every evaluation whose number is a multiple of the largest of
// 1, 2, 5, 10, 20, … that is at most a twentieth of it; up to each claim's goal (claims.h), the
// first of every row of good evaluations and of others, and those that reach the goal; the last
// evaluation and the final score. Drops training losses.
//
// Runs of any length thus share the evaluations that are drawn, and thinning is idempotent. Throws
// ConfigError if the experiment is not in the catalogue.
std::vector<training::Metric> thin(const training::Record& run);

// Throws InputError unless `kept` gives every claim the same value as all metrics of the run.
void require_same_answers(const training::Record& run, const std::vector<training::Metric>& kept);

struct Results {
  report::Table written;              // a row for each run
  std::vector<std::string> left_out;  // with the reason
  std::size_t bytes = 0;              // total size of all files
};

// Writes OUT/NAME[-VARIANT]/MODEL-seedS/{config.toml,metrics.csv,run.json}, and gradients.csv if
// the run has it, for each run that counts (sort_runs() of evidence.h), has been evaluated, and is
// at least as long as the existing results. Checks everything before it writes anything. Throws
// ConfigError if OUT contains whole runs, InputError if the kept metrics would not be enough,
// ResourceError if the system refuses.
Results write_results(const std::vector<training::Record>& runs, const std::filesystem::path& out);

}  // namespace rwa::paper

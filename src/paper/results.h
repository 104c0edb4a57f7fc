// src/paper/results.h: what is kept of the paper's runs in a repository: of each its configuration,
// its run.json and its metrics, thinned. training::read_run() reads them as it reads any run.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "report/table.h"
#include "training/metrics.h"
#include "training/run_folder.h"

namespace rwa::paper {

// What is kept of a run's metrics: every evaluation whose number is a multiple of the largest of 1,
// 2, 5, 10, 20, … that is at most a twentieth of it; on the way to each claim's goal (claims.h)
// those with which good ones or others begin, and those that reach it; the last one and the final
// score. No training losses.
//
// So runs of any length have the evaluations that are drawn in common, and to thin twice is to thin
// once. Throws ConfigError for an experiment that is not in the catalogue.
std::vector<training::Metric> thin(const training::Record& run);

// Throws InputError unless `kept`, of the run's metrics, answer every claim as all of them do.
void require_same_answers(const training::Record& run, const std::vector<training::Metric>& kept);

struct Results {
  report::Table written;              // a row for each run
  std::vector<std::string> left_out;  // and why
  std::size_t bytes = 0;              // of all files together
};

// Writes OUT/NAME[-VARIANT]/MODEL-seedS/{config.toml,metrics.csv,run.json}, and gradients.csv where
// there is one, for each run that counts (sort_runs() of evidence.h), has been evaluated, and is
// at least as long as the results that are there. Everything is checked before anything is written.
// Throws ConfigError where OUT has whole runs itself, InputError where what would be kept is not
// enough, ResourceError where the system refuses.
Results write_results(const std::vector<training::Record>& runs, const std::filesystem::path& out);

}  // namespace rwa::paper

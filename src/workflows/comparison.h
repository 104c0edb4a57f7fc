// src/workflows/comparison.h: runs side by side, for `rwa report`: their scores, learning curves,
// and the settings in which they differ.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "report/page.h"
#include "report/table.h"
#include "training/run_folder.h"

namespace rwa::workflows {

struct ComparedRun {
  training::Record record;
  std::string name;                          // of its folder, below the one that all runs share
  std::vector<training::NamedScore> scores;  // the one that matters most first; empty: no score yet
  std::vector<std::string> settings;         // as RunComparison::settings
};

// Runs that repeat each other: their settings are equal, except for the seed, the fold, and the
// number of steps, which follows the size of a fold.
struct RunGroup {
  std::string name;               // the settings that differ between groups: "cell lstm, units 64"
  std::vector<std::size_t> runs;  // in RunComparison::runs
};

struct RunComparison {
  std::filesystem::path folder;            // that all runs are in
  bool has_one_data_set = true;            // otherwise scores compare only within one
  std::vector<std::string> settings = {};  // names of those that differ
  std::vector<std::string> scores = {};    // names of those of any run; the first one ranks
  std::vector<ComparedRun> runs = {};      // the best first, those without scores last
  std::vector<RunGroup> groups = {};       // in the order of their mean score
};

// Leaves out models trained on all data after a cross-validation: they have no score. Throws
// InputError if no run remains.
RunComparison compare_runs(std::vector<training::Record> records);

// Means over the runs, by name. None for runs of several data sets.
std::vector<training::BaselineScores> mean_baselines(const RunComparison& found);

// A row for each run with the settings that differ, then the baselines.
report::Table table_of_runs(const RunComparison& found);
// Means ± standard deviations; empty if no group has several runs.
report::Table table_of_groups(const RunComparison& found);

// Links to the reports of the runs are relative to `folder`, where the page will be.
report::Page comparison_page(const RunComparison& found, const std::filesystem::path& folder);

inline constexpr const char* kComparisonFile = "comparison.html";

// The same of these run folders, as kComparisonFile in `folder`.
void write_comparison(const std::vector<std::filesystem::path>& runs,
                      const std::filesystem::path& folder);

}  // namespace rwa::workflows

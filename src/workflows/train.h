// src/workflows/train.h: trains the runs of a plan, scores their models on the data held out, and
// keeps the best: what `rwa train` and Python's fit() and cross_validate() do.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "comm/job.h"
#include "report/table.h"
#include "training/run_queue.h"
#include "workflows/plan.h"
#include "workflows/score.h"

namespace rwa::workflows {

struct TrainOptions {
  int threads = 1;                               // of each rank, for all its runs
  int jobs = 1;                                  // runs at a time, of each rank
  std::optional<double> time_budget = {};        // seconds, of each run
  std::function<bool()> stop = {}, finish = {};  // as training::Options
  Job* job = nullptr;                            // whose ranks share the work
};

struct TrainedRun {
  std::string title;
  std::shared_ptr<training::RunStore> store;
  std::optional<Scores> scores;  // absent: no data were held out
};

struct TrainResult {
  // Those that have come to an end, in the order of the plan; on rank 0 alone.
  std::vector<TrainedRun> runs;
  std::vector<training::Divergence> diverged;  // what became of the others
  // Of several seeds the one with the lowest loss in validation. Folds are there for their scores.
  std::optional<std::size_t> best;
};

// Where runs have folders, each gets a report, and the best of several seeds is saved above them.
// Throws training::Interrupted, and what planning and training throw, but for divergence.
TrainResult train(const Plan& plan, const TrainOptions& options, training::QueueObserver& observer);

inline constexpr const char* kReportFile = "report.html";

// A row for each run with scores, and for several their mean ± deviation: loss, accuracy, F1,
// correlation, errors. Empty where none has any.
report::Table summary(const std::vector<TrainedRun>& runs);

// For the scheduler of runs.
training::QueuedRun queued(const PlannedRun& run, const std::optional<double>& time_budget);
// Options of each run, for a number of them.
training::QueueOptions queue_options(const TrainOptions& options, int runs);
// The lowest loss in validation so far; nothing before the first.
std::optional<double> best_in_validation(const training::RunStore& store);

// Throws DivergenceError that names those of the runs that diverged, unless none did.
void throw_if_diverged(const std::vector<training::Divergence>& diverged, std::size_t runs);

}  // namespace rwa::workflows

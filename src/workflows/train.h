// src/workflows/train.h: trains the runs of a plan, scores their models on held-out data and keeps
// the best, for `rwa train` and Python's fit() and cross_validate().
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
#include "workflows/baseline.h"
#include "workflows/plan.h"
#include "workflows/score.h"
#include "workflows/verdict.h"

namespace rwa::workflows {

struct TrainOptions {
  int threads = 1;                               // per rank, for all its runs
  int jobs = 0;                                  // runs at a time, per rank; 0: see usual_jobs()
  std::optional<double> time_budget = {};        // seconds per run
  std::function<bool()> stop = {}, finish = {};  // as in training::Options
  Job* job = nullptr;                            // its ranks share the work; null: one process
};

struct TrainedRun {
  std::string title;
  std::shared_ptr<training::RunStore> store;
  std::shared_ptr<const datasets::Files> files;
  // On held-out data; absent if there is none.
  std::optional<Scores> scores;
  std::vector<Baseline> baselines;
};

struct TrainResult {
  // The finished runs in the order of the plan; only on rank 0.
  std::vector<TrainedRun> runs;
  std::vector<training::Divergence> diverged;
  // The run with the lowest validation loss; absent for folds, which only serve for scores (refit.h
  // makes their model), and without validation data.
  std::optional<std::size_t> best;
};

// Writes a report to each run folder, and the best of several seeds to the folder above. Throws
// training::Interrupted and whatever training throws, except for divergence.
TrainResult train(const Plan& plan, const TrainOptions& options, training::QueueObserver& observer);

using training::kReportFile;

// What the scores of all runs say together (train_summary.cc).

// A row of scores for each run, the mean ± standard deviation of several, and the baselines. Empty
// if no run has scores.
report::Table summary(const std::vector<TrainedRun>& runs);
// The means over the runs; without baselines if no run has scores.
Comparison compare(const std::vector<TrainedRun>& runs);
// The remark() of verdict.h for these means.
std::string remark(const std::vector<TrainedRun>& runs);
// The mean ± standard deviation of the score that matters most, of two runs or more with scores:
// "accuracy 81.2 ± 1.3 %", "RMSE of load 0.34 ± 0.02".
std::string expected_score(const std::vector<TrainedRun>& runs);

// How many runs to train at once: small batches leave threads idle, several runs do not.
int usual_jobs(const Plan& plan, int threads);

// The run as an entry of the run queue.
training::QueuedRun queued(const PlannedRun& run, const std::optional<double>& time_budget);
// The options of a queue of this many runs.
training::QueueOptions queue_options(const TrainOptions& options, int runs);
// The lowest validation loss so far; empty before the first validation.
std::optional<double> best_in_validation(const training::RunStore& store);

// Throws DivergenceError, naming the runs that diverged, if there are any.
void throw_if_diverged(const std::vector<training::Divergence>& diverged, std::size_t runs);

}  // namespace rwa::workflows

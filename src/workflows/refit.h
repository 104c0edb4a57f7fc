// src/workflows/refit.h: the model that cross-validation leaves: folds say how well the settings do
// and how long to train; a last run then trains on all data.
#pragma once

#include "training/run_queue.h"
#include "workflows/plan.h"
#include "workflows/train.h"

namespace rwa::workflows {

struct Refit {
  TrainedRun run;        // with scores if there is test data
  std::string expected;  // "accuracy 81.2 ± 1.3 %", of the folds
  std::int64_t steps = 0;
};

// The folder of the last run, in OUT.
inline constexpr const char* kRefitFolder = "all";

// Whether the plan has all folds of a cross-validation.
bool is_refitted(const Plan& plan);

// What a fold says about training on all data.
struct FoldEnd {
  std::int64_t best_step = 0;  // the last one without early stopping
  double interval_scale = 0;   // 0: there are no intervals
};
std::vector<FoldEnd> ends_of(const TrainResult& result);

// Plans the last run, in OUT/all: as many steps as the folds without early stopping; with it, as
// many epochs as the median of the best steps of the folds, and a constant learning rate instead of
// plateau, since no data is left for validation. Intervals are scaled by the median of the folds.
PlannedRun plan_refit(const Plan& plan, const std::vector<FoldEnd>& folds);

// Trains the last run, and writes its model and report to OUT, if there is one. All folds must be finished. Throws
// like train(). Returns nothing on other ranks than 0, or if the run diverged, which
// `result.diverged` then tells.
std::optional<Refit> refit(const Plan& plan, TrainResult& result, const TrainOptions& options,
                           training::QueueObserver& observer);

}  // namespace rwa::workflows

// src/workflows/tune.h: searches for good settings within a time budget. Candidates are drawn from
// the space of tune_space.h; candidate 0 has the defaults. Those of few sequences race over the
// folds of a cross-validation (tune_folds.cc), the others over seconds of training.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "datasets/files.h"
#include "report/table.h"
#include "workflows/baseline.h"
#include "workflows/defaults.h"
#include "workflows/plan.h"
#include "workflows/train.h"
#include "workflows/verdict.h"

namespace rwa::workflows {

// The name of a candidate's folder.
std::string candidate_folder(int number);

// How many candidates go on after a round; rounded up.
inline int a_third_of(int candidates) { return (candidates + 2) / 3; }
// The number of candidates in each round of a race over seconds: 9, 3, 1.
std::vector<int> rounds(int candidates);

// A model on the sequences that it has not seen.
struct HeldOut {
  MainScore score = {};
  double loss = std::numeric_limits<double>::infinity();
  std::int64_t sequences = 0;  // 0: training diverged
};

struct Candidate {
  int number = 0;
  Plan plan;                                              // a run for each fold, or a single one
  double seconds = 0;                                     // without folds: of training allowed
  double loss = std::numeric_limits<double>::infinity();  // lowest validation loss, mean of folds
  std::vector<HeldOut> held_out = {};                     // of each fold, then with further seeds
  std::vector<TrainedRun> runs = {};                      // the same; only on rank 0

  [[nodiscard]] const training::Experiment& experiment() const {
    return plan.runs.front().experiment;
  }
};

inline constexpr int kMostCandidates = 1000;

struct TuneOptions {
  int candidates = 0;        // 0: 9; with folds fewer if the time is short
  double time_budget = 600;  // seconds for the whole search
  TrainOptions train = {};   // its time_budget is not used
};

struct TuneResult {
  std::vector<Candidate> candidates;  // the best first, those that diverged last
  int left_out = 0;                   // not begun, since the time was up
  bool has_folds = false;
  // The best model, scored on the test data if there is some; only on rank 0. With folds it was
  // trained on all data.
  std::optional<TrainedRun> best;
  std::string expected;  // "accuracy 81.2 ± 1.3 %", of the folds; else empty
  // Without folds: on the validation data; only on rank 0.
  std::vector<Baseline> baselines;
};

struct Round {
  int number = 1;  // of `rounds`
  int rounds = 1;
  int candidates = 0;
  int folds = 0;       // scored of each candidate; 0: there are none
  double seconds = 0;  // more for each candidate
};

class TuneObserver : public training::QueueObserver {
 public:
  virtual void begin_round(const Round& /*round*/) {}
  virtual void scored(const Candidate& /*candidate*/) {}  // with folds, after its part of a round
};

// Makes the candidates for files that were read; each is a whole plan. Leaves out those that cannot
// train on a single sequence in memory.
std::vector<Candidate> make_candidates(const TrainRequest& request,
                                       const std::shared_ptr<const datasets::Files>& files,
                                       int count, Link* link, const Room& room);

// Searches, and leaves model and report of the best in the folder of the request. `files` are as
// read for the request. Throws ConfigError if there is no validation data, and as train() does.
TuneResult tune(const TrainRequest& request, const std::shared_ptr<const datasets::Files>& files,
                const TuneOptions& options, TuneObserver& observer);

// A row for each candidate and for each baseline.
report::Table summary(const TuneResult& result);

}  // namespace rwa::workflows

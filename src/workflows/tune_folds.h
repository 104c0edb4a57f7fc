// src/workflows/tune_folds.h: the race of candidates over the folds of a cross-validation. Runs on
// few sequences have a fixed length, so candidates differ in how many folds they are worth: all
// have two, the better third has the rest, and the best has all of them again with another seed.
// Candidate 0, the defaults, is in every round.
#pragma once

#include <chrono>
#include <span>
#include <vector>

#include "workflows/tune.h"

namespace rwa::workflows {

// The order of a race: by the number of folds, then by the score, of accuracies in whole sequences,
// then by the loss. Those that diverged are last.
bool is_before(const Candidate& a, const Candidate& b);
// Whether `a` is better than `b` by more than the standard error of their differences over the
// folds: in the score, or with equal scores in the loss.
bool is_clearly_better(const Candidate& a, const Candidate& b);

class FoldRace {
 public:
  FoldRace(std::vector<Candidate> candidates, const TuneOptions& options, TuneObserver& observer);

  // Returns the candidates that were begun, the best first. This is candidate 0 unless another is
  // clearly better.
  std::vector<Candidate> run();

 private:
  using Group = std::span<Candidate>;

  void begin_round(int number, std::size_t candidates);
  void run_all();
  void run_better_third();
  void run_best_again();
  // The fewest candidates whose parts of the round leave no thread without a run.
  [[nodiscard]] std::size_t at_once() const;
  [[nodiscard]] int later_runs(std::size_t candidates) const;
  [[nodiscard]] bool has_time_for(std::size_t runs);
  void train(Group group);
  void keep(Group group, const Plan& plan, const TrainResult& result);

  std::vector<Candidate> candidates_;
  const TuneOptions& options_;
  TuneObserver& observer_;
  Link* const link_;
  const int folds_;
  int first_ = 0, end_ = 0;  // the runs of the round: fold i % folds_, seed i / folds_
  int runs_ = 0;             // so far
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace rwa::workflows

// src/workflows/tune_folds.h: the race of candidates over the folds of a cross-validation. Runs on
// few sequences have a fixed length, so candidates differ in how many folds they are worth: all
// have two, candidate 0, the defaults, and the better ones have the rest, and whichever leads has
// all of them again with other seeds.
#pragma once

#include <chrono>
#include <span>
#include <vector>

#include "workflows/tune.h"

namespace rwa::workflows {

// The order of a race: those with all folds first, then by the score, then by the loss. Those that
// diverged are last.
bool is_before(const Candidate& a, const Candidate& b);

class FoldRace {
 public:
  FoldRace(std::vector<Candidate> candidates, const TuneOptions& options, TuneObserver& observer);

  // Returns the candidates that were begun, the best first.
  std::vector<Candidate> run();

 private:
  using Group = std::span<Candidate>;

  // Runs of a candidate: fold i % folds_, seed i / folds_.
  struct Part {
    int begin = 0, end = 0;
    [[nodiscard]] int size() const { return end - begin; }
  };

  void begin_round(std::size_t candidates, const Part& part);
  void run_all();
  void run_better();
  void run_leaders_again();
  // The fewest candidates whose parts of the round leave no thread without a run.
  [[nodiscard]] std::size_t at_once() const;
  [[nodiscard]] double later_work(Group begun) const;
  [[nodiscard]] bool has_time_for(double work);
  void train(Group group);
  void keep(Group group, const Plan& plan, const TrainResult& result);

  std::vector<Candidate> candidates_;
  const TuneOptions& options_;
  TuneObserver& observer_;
  Link* const link_;
  const int folds_;
  int round_ = 0;
  Part part_;        // what candidates run in this round
  double work_ = 0;  // so far
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace rwa::workflows

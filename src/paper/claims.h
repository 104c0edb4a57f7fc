// src/paper/claims.h: compares the claims of the paper and of the authors' logs with the runs.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/dataset.h"
#include "paper/catalogue.h"
#include "paper/curves.h"
#include "paper/evidence.h"
#include "report/table.h"

namespace rwa::paper {

// The goal of a claim about steps: reached at the first of `in_a_row` consecutive good evaluations.
struct Goal {
  std::size_t in_a_row = 1;
  std::function<bool(const Point&)> is_good;
};

// Whether a claim is about the step at which something is reached.
bool is_a_step(Measure measure);

Goal goal_of(const Beats& beats, const datasets::Naive& naive);
// For a claim about a step.
Goal goal_of(const Claim& claim, const Beats& beats, const datasets::Naive& naive);

// All claims that need runs of this experiment: its own, those of other experiments that compare
// with it, and the measures of studies.
std::vector<const Claim*> claims_on(std::string_view experiment);

// The range in which a number is known to be. A run that has not reached a loss within 1,200 steps
// shows that it takes more.
struct Known {
  double low = 0;
  double high = std::numeric_limits<double>::infinity();

  [[nodiscard]] bool exact() const { return low == high; }
  friend bool operator==(const Known&, const Known&) = default;
};

// The measure of one run.
Known measure(const Claim& claim, const Beats& beats, const Evidence& evidence);
// The step at which the baseline is beaten: the first of five consecutive good evaluations.
Known beaten(const Beats& beats, const Evidence& evidence);

// The median over runs. An open value matters only if the median depends on it.
Known median(const std::vector<Known>& values);

// Returns kYes, kNo, or kOpen if the known range allows both.
report::Mark judge(const Known& value, const Said& said);

// One row of the table of claims.
struct Finding {
  std::string experiment;
  std::string claim;
  std::string model;
  std::string said;                            // "paper: about 1,000"
  std::string authors;                         // measured on the authors' curves
  std::string ours;                            // measured on the runs: median over seeds, range
  std::string variant;                         // of the runs
  report::Mark verdict = report::Mark::kNone;  // kNone: not run
  bool headline = false;
};

// Checks all claims, in the paper's order. Claims of the paper are checked on runs of the text
// variant, claims of the logs on runs of the script variant, or on the other one if there are none.
std::vector<Finding> check_claims(const Library& ours, const Library& authors);
report::Table to_table(const std::vector<Finding>& findings);
// The headline claim of each experiment, RWA and LSTM side by side, as medians over seeds.
report::Table scoreboard(const std::vector<Finding>& findings);
// How many claims were reproduced, of those that were run.
struct Tally {
  struct Share {
    int reproduced = 0, judged = 0;
  };
  Share all, paper, logs;
  int open = 0;

  [[nodiscard]] std::string result() const;  // "38 of 49 claims reproduced"
  [[nodiscard]] std::string sources()
      const;  // "21 of 29 in the paper, 17 of 20 in the authors' logs"
  [[nodiscard]] std::string in_words() const;  // "38 of 49 claims reproduced (1 open): 21 of …"
};
Tally tally(const std::vector<Finding>& findings);

// The median over the runs of one key; empty if there are none.
std::optional<Known> measured(const Library& library, const Key& key, const Claim& claim);
// The measure over the runs of one key, in words: "700 (600 to 900)", "not within 1,200 steps", or
// "at least 700" if a shorter run may still lower the median to that. As a ratio: "0.62 × LSTM".
// "—" if a run is missing.
std::string measured_in_words(const Library& library, const Key& key, const Claim& claim,
                              const std::optional<Against>& against = {});
std::string beaten_in_words(const Library& library, const Key& key);

}  // namespace rwa::paper

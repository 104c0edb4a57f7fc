// src/paper/claims.h: what the paper and the authors' logs say, what our runs give, and whether the
// two agree.
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

// What a run has to reach for a claim about steps: reached at the first of so many evaluations in a
// row that are good.
struct Goal {
  std::size_t in_a_row = 1;
  std::function<bool(const Point&)> is_good;
};

// Whether a claim is about the step at which something is reached.
bool is_a_step(Measure measure);

Goal goal_of(const Beats& beats, const datasets::Naive& naive);
// Of a claim about a step.
Goal goal_of(const Claim& claim, const Beats& beats, const datasets::Naive& naive);

// The claims that runs of an experiment are measured for: its own, those of others that compare
// theirs with it, and the measures of studies.
std::vector<const Claim*> claims_on(std::string_view experiment);

// A number, or what is known of it: a run that has not reached a loss after 1,200 steps says that
// it takes more than that.
struct Known {
  double low = 0;
  double high = std::numeric_limits<double>::infinity();

  [[nodiscard]] bool exact() const { return low == high; }
  friend bool operator==(const Known&, const Known&) = default;
};

// By one run.
Known measure(const Claim& claim, const Beats& beats, const Evidence& evidence);
// The step at which the baseline is beaten: the first of five evaluations in a row that are good
// enough.
Known beaten(const Beats& beats, const Evidence& evidence);

// Of several runs; what is not known of one matters only where it is needed.
Known median(const std::vector<Known>& values);

// kYes, kNo, or kOpen where what is known leaves room for both.
report::Mark judge(const Known& value, const Said& said);

// One line of the table.
struct Finding {
  std::string experiment;
  std::string claim;
  std::string model;
  std::string said;                            // "paper: about 1,000"
  std::string authors;                         // their curves, measured as ours are
  std::string ours;                            // median over seeds, and range
  std::string variant;                         // that ours are of
  report::Mark verdict = report::Mark::kNone;  // kNone: not run
};

// Every claim, in the paper's order. Those of the text are judged by runs of the text's task where
// there are any, those of the logs by runs of the scripts'.
std::vector<Finding> check_claims(const Library& ours, const Library& authors);
report::Table to_table(const std::vector<Finding>& findings);

// The median over the runs of one key; nothing where there is none.
std::optional<Known> measured(const Library& library, const Key& key, const Claim& claim);
// What the runs of one key measure, in words: "700 (600 to 900)", "not in 1,200 steps", or "at
// least 700" where a shorter run may still bring the median down to that; and compared with others:
// "0.62 × LSTM". "—" where a run is missing.
std::string measured_in_words(const Library& library, const Key& key, const Claim& claim,
                              const std::optional<Against>& against = {});
std::string beaten_in_words(const Library& library, const Key& key);

}  // namespace rwa::paper

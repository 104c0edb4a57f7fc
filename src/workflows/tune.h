// src/workflows/tune.h: a search for good settings within a time. Candidates are drawn from a space
// that docs/own-data.md describes; all get a part of the time, the better third of them goes on with
// another part, and so on: successive halving (Jamieson and Talwalkar 2016), by thirds.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "datasets/dataset.h"
#include "training/settings.h"
#include "workflows/plan.h"
#include "workflows/train.h"

namespace rwa::workflows {

// Suggested settings, to be put below those given. Candidate 0 has none: the defaults are hard to beat
// in a short time. The others are a function of seed and number.
training::Overrides candidate(const datasets::Shape& shape, std::uint64_t seed, int number);

// "lstm, 64 units, learning rate 0.0031", of a completed experiment.
std::string in_words(const training::Experiment& experiment);

// How many of `candidates` go on after each round, the first included: 9, 3, 1.
std::vector<int> rounds(int candidates);

struct Candidate {
  int number = 0;
  PlannedRun run;
  double seconds = 0;  // of training it may have used by the end of the round
  double loss = std::numeric_limits<double>::infinity();  // the best in validation
};

struct TuneOptions {
  int candidates = 9;
  double time_budget = 600;  // seconds, for all of it
  TrainOptions train = {};   // whose time_budget is not used
};

class TuneObserver : public training::QueueObserver {
 public:
  // `seconds` more for each of the candidates that are left.
  virtual void begin_round(int /*number*/, int /*rounds*/, int /*candidates*/, double /*seconds*/) {
  }
};

// All candidates, the best first; those that diverged come last. Throws ConfigError where there are no
// data to validate on, and as train() does.
std::vector<Candidate> tune(const TrainRequest& request, const Plan& plan,
                            const TuneOptions& options, TuneObserver& observer);

}  // namespace rwa::workflows

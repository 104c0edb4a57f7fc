// src/workflows/tune.h: searches for good hyperparameters within a time budget. Candidates are
// drawn from a space that docs/own-data.md describes. Successive halving by thirds (Jamieson and
// Talwalkar 2016): all candidates get a part of the time, the better third gets another part, and
// so on.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "datasets/dataset.h"
#include "training/settings.h"
#include "workflows/defaults.h"
#include "workflows/plan.h"
#include "workflows/train.h"

namespace rwa::workflows {

// The names of the cells that are searched.
std::vector<std::string> tuned_cells();

// The name of a candidate's folder.
std::string candidate_folder(int number);

// The settings of a candidate, which the given ones override. Candidate 0 has none: the defaults
// are hard to beat in a short time. The others are a function of seed and number.
// make_candidates() drops what does not go together, such as dropout and a single layer.
training::Overrides candidate(const datasets::Shape& shape, std::uint64_t seed, int number);

// Describes a completed experiment: "lstm, 64 units, learning rate 0.0031, batch 32".
std::string in_words(const training::Experiment& experiment);

// The number of candidates in each round: 9, 3, 1.
std::vector<int> rounds(int candidates);

struct Candidate {
  int number = 0;
  PlannedRun run;
  double seconds = 0;  // of training allowed until the end of the round
  double loss = std::numeric_limits<double>::infinity();  // the lowest validation loss
};

struct TuneOptions {
  int candidates = 9;
  double time_budget = 600;  // seconds for the whole search
  TrainOptions train = {};   // its time_budget is not used
};

class TuneObserver : public training::QueueObserver {
 public:
  // Each of the remaining candidates gets `seconds` more.
  virtual void begin_round(int /*number*/, int /*rounds*/, int /*candidates*/, double /*seconds*/) {
  }
};

// The request with a validation set, which tuning needs: by default a share of the sequences, even if
// they are few.
TrainRequest with_validation(const TrainRequest& request);

// Makes the candidates of the plan's data, each with a batch that fits into memory. Leaves out those
// that cannot train on a single sequence in it.
std::vector<Candidate> make_candidates(const TrainRequest& request, const Plan& plan, int count,
                                       const Room& room);

// Returns all candidates, the best first and those that diverged last. Throws ConfigError if there
// is no validation data, and as train() does.
std::vector<Candidate> tune(const TrainRequest& request, const Plan& plan,
                            const TuneOptions& options, TuneObserver& observer);

}  // namespace rwa::workflows

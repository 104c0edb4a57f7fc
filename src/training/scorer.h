// src/training/scorer.h: which samples a run is scored on, now and then and at its end. Batches are dealt
// out to the ranks, each as a whole, and their scores added up in the order of the batches: so they
// have the same bits for any number of ranks.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "comm/ranks.h"
#include "datasets/dataset.h"
#include "rwa/model.h"
#include "training/evaluate.h"
#include "training/experiment.h"
#include "training/metric.h"

namespace rwa::training {

class Scorer {
 public:
  // All must outlive it.
  Scorer(const Experiment& experiment, const Model& model, const datasets::Dataset& dataset,
         const SessionOptions& options, Link* link = nullptr);

  // All samples for validation, "valid"; else some of the test samples, "test", other ones at every
  // evaluation. Nothing where there are neither.
  std::optional<Metric> score_in_passing(std::int64_t step);
  // As many test samples as there are, or else those for validation: "final". Nothing where there
  // are neither, or `stopped` said so on the way.
  std::optional<Metric> score_at_end(std::int64_t step, const std::function<bool()>& stopped);

 private:
  using Stopped = std::function<bool()>;
  // Puts the samples of a batch into samples_.
  using Choose = std::function<void(std::int64_t batch)>;

  Score score_test_draws(std::int64_t step);
  std::optional<Score> score_all(datasets::Split split, bool drawn, const Stopped& stopped);
  std::optional<Score> score_batches(datasets::Split split, std::int64_t batches,
                                     const Choose& choose, const Stopped& stopped);
  [[nodiscard]] bool has(datasets::Split split) const { return dataset_.size(split) > 0; }
  [[nodiscard]] Metric to_metric(const Score& score, std::int64_t step, std::string split) const;

  const Experiment& experiment_;
  const datasets::Dataset& dataset_;
  Ranks ranks_;
  Evaluator evaluator_;
  std::vector<std::int64_t> samples_;
};

}  // namespace rwa::training

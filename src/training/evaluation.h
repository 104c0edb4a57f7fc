// src/training/evaluation.h: scores a network on samples of a data set. Whole batches are
// distributed over the ranks and their scores added in batch order, so that results are
// bit-identical for any number of ranks.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "comm/ranks.h"
#include "datasets/dataset.h"
#include "rwa/model.h"
#include "training/experiment.h"
#include "training/metrics.h"

namespace rwa::training {

// Sums over targets: one per sequence, one per step, or one per label of a decoder. A decoder's
// loss is that of training, with the target labels as inputs; its accuracy is that of the
// free-running decoder.
struct Score {
  double loss = 0;
  std::int64_t answers = 0;
  std::int64_t judged = 0;  // classifications; for yes/no labels, one per output
  std::int64_t right = 0;

  Score& operator+=(const Score& other);
};

// Returns the means, in the unit of the loss.
Metric to_metric(const Score& score, Loss loss, std::int64_t step, std::string split);

// Gets the outputs of a batch, [B,O] or [T,B,O], before softmax or sigmoid, and its samples.
using OutputListener =
    std::function<void(datasets::Split split, std::span<const std::int64_t> samples,
                       const datasets::Batch& batch, std::span<const float> outputs)>;

class Evaluator {
 public:
  Evaluator(const Model& model, const datasets::Dataset& dataset, const SessionOptions& options);

  Score score(datasets::Split split, std::span<const std::int64_t> samples,
              const OutputListener& listener = {});

 private:
  // Writes the outputs to y_ and returns the mean loss.
  double run();
  void count_right(std::size_t row, Score& score) const;

  const datasets::Dataset& dataset_;
  const bool classifies_;
  Session session_;
  datasets::Batch batch_;
  std::vector<float> y_;
};

class Scorer {
 public:
  // All arguments must outlive the scorer.
  Scorer(const Experiment& experiment, const Model& model, const datasets::Dataset& dataset,
         const SessionOptions& options, Link* link = nullptr);

  // Scores the validation set ("valid"). A generated task has none: scores random test samples
  // ("test"), drawn anew for every evaluation. Returns nothing for files without a validation set:
  // their test set is scored once, at the end.
  std::optional<Metric> score_in_passing(std::int64_t step);
  // Lets a listener see all samples of a split, on every rank.
  void show(datasets::Split split, const OutputListener& listener);
  // Scores the whole test set, or else the validation set ("final"). Returns nothing if there are
  // neither, or if it was stopped. `outputs` gets the batches that this rank scores.
  struct Watch {
    std::function<bool()> stopped = {};  // absent: never stopped
    OutputListener outputs = {};
  };
  std::optional<Metric> score_at_end(std::int64_t step, const Watch& watch);

 private:
  // Writes the samples of a batch to samples_.
  using Choose = std::function<void(std::int64_t batch)>;

  [[nodiscard]] std::int64_t batches_of(datasets::Split split) const;
  void choose_in_order(datasets::Split split, std::int64_t batch);
  Score score_test_draws(std::int64_t step);
  std::optional<Score> score_all(datasets::Split split, bool drawn, const Watch& watch);
  std::optional<Score> score_batches(datasets::Split split, std::int64_t batches,
                                     const Choose& choose, const Watch& watch);
  [[nodiscard]] bool has(datasets::Split split) const { return dataset_.size(split) > 0; }
  [[nodiscard]] Metric to_metric(const Score& score, std::int64_t step, std::string split) const;

  const Experiment& experiment_;
  const datasets::Dataset& dataset_;
  Ranks ranks_;
  Evaluator evaluator_;
  std::vector<std::int64_t> samples_;
};

}  // namespace rwa::training

// src/training/evaluation.h: how well a network does on samples of a data set: which ones, and
// when. Batches are dealt out to the ranks, each as a whole, and their scores added up in the
// order of the batches: so they have the same bits for any number of ranks.
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

// Sums over answers: one per sequence, or one per step of it, as the readout says, or one per label
// that a decoder has to say. A decoder's loss is that of training, where it sees the right label
// before; right or wrong is what it says when it runs freely.
struct Score {
  double loss = 0;
  std::int64_t answers = 0;
  std::int64_t judged = 0;  // right or wrong, where the task is to classify; yes/no once per output
  std::int64_t right = 0;

  Score& operator+=(const Score& other);
};

// The means, in the unit of the loss.
Metric to_metric(const Score& score, Loss loss, std::int64_t step, std::string split);

// The outputs of a batch, [B,O] or [T,B,O], before softmax or sigmoid, and the samples it is made of.
using OutputListener =
    std::function<void(datasets::Split split, std::span<const std::int64_t> samples,
                       const datasets::Batch& batch, std::span<const float> outputs)>;

class Evaluator {
 public:
  Evaluator(const Model& model, const datasets::Dataset& dataset, const SessionOptions& options);

  Score score(datasets::Split split, std::span<const std::int64_t> samples,
              const OutputListener& listener = {});

 private:
  // Leaves in y_ what is to be judged, and returns the mean loss.
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
  // All must outlive it.
  Scorer(const Experiment& experiment, const Model& model, const datasets::Dataset& dataset,
         const SessionOptions& options, Link* link = nullptr);

  // All samples for validation, "valid"; else some of the test samples, "test", other ones at every
  // evaluation. Nothing where there are neither.
  std::optional<Metric> score_in_passing(std::int64_t step);
  // As many test samples as there are, or else those for validation: "final". Nothing where there
  // are neither, or where it was stopped on the way. `outputs` gets those of the batches that this
  // rank scores.
  struct Watch {
    std::function<bool()> stopped = {};  // absent: never
    OutputListener outputs = {};
  };
  std::optional<Metric> score_at_end(std::int64_t step, const Watch& watch);

 private:
  // Puts the samples of a batch into samples_.
  using Choose = std::function<void(std::int64_t batch)>;

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

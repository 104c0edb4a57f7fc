// src/training/evaluate.h: how well a network does on samples of a data set.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "datasets/dataset.h"
#include "rwa/model.h"
#include "training/metric.h"

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

class Evaluator {
 public:
  Evaluator(const Model& model, const datasets::Dataset& dataset, const SessionOptions& options);

  Score score(datasets::Split split, std::span<const std::int64_t> samples);

 private:
  // Leaves in y_ what is to be judged, and returns the mean loss.
  double run();
  void judge(std::size_t row, Score& score) const;

  const datasets::Dataset& dataset_;
  const bool classifies_;
  Session session_;
  datasets::Batch batch_;
  std::vector<float> y_;
};

}  // namespace rwa::training

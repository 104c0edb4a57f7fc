// src/training/schedule.h: decisions during training: the learning rate of each step, the best
// weights (early stopping), and whether training has diverged.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "training/experiment.h"

namespace rwa::training {

// Returns the learning rate of a step, numbered from 0, after this many reductions.
double learning_rate(const Training& training, std::int64_t step, std::int64_t reductions);

// Returns whether the learning rate is reduced after this many evaluations in a row without a new
// best: three times before patience runs out, if patience is at least 3.
bool is_reduced(const Experiment& experiment, std::int64_t evaluations_without);

// Throws ConfigError if the experiment lacks something that the schedule needs.
void check_schedule(const Experiment& experiment);

// The best evaluation so far.
struct Best {
  double loss = 0;
  std::int64_t step = 0;
  std::int64_t evaluations_without = 0;  // consecutive evaluations since then
  std::vector<float> weights = {};       // as in Model::weights(); empty: no evaluation yet

  [[nodiscard]] bool is_known() const { return !weights.empty(); }
  // Call after every evaluation. Any lower loss is better.
  void see(std::int64_t step_now, double loss_now, std::span<const float> weights_now);
};

// Training has diverged if the loss exceeds 1e4 × max(1, first loss) for ten steps in a row.
struct LossRule {
  double first = 0;        // loss of the first step
  std::int64_t above = 0;  // consecutive steps above the limit, up to the last

  // Call after every step, numbered from 1. Throws DivergenceError, naming the step.
  void see(std::int64_t step, double loss);
  [[nodiscard]] bool is_counting() const { return above > 0; }

 private:
  [[nodiscard]] double limit() const;
};

}  // namespace rwa::training

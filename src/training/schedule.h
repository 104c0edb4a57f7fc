// src/training/schedule.h: what losses decide on the way: the learning rate of every step, which
// weights are the best (early stopping), and whether training has diverged.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "training/experiment.h"

namespace rwa::training {

// Of the step with this number, from 0, after so many reductions.
double learning_rate(const Training& training, std::int64_t step, std::int64_t reductions);

// Whether it is reduced after an evaluation that was the last of so many, in a row, without a lower
// loss than the best: three times before patience ends, if there is as much of it.
bool is_reduced(const Experiment& experiment, std::int64_t evaluations_without);

// Throws ConfigError where the schedule needs what the experiment lacks.
void check_schedule(const Experiment& experiment);

struct Best {
  double loss = 0;
  std::int64_t step = 0;
  std::int64_t evaluations_without = 0;  // since then, in a row
  std::vector<float> weights = {};       // as Model::weights(); empty: there were no evaluations

  [[nodiscard]] bool is_known() const { return !weights.empty(); }
  // For every evaluation in turn. Better is lower, if ever so little.
  void see(std::int64_t step_now, double loss_now, std::span<const float> weights_now);
};

// Above 1e4 × max(1, the first step's) for ten steps in a row.
struct LossRule {
  double first = 0;        // the loss of the first step
  std::int64_t above = 0;  // how many of the last steps in a row were above the limit

  // For every step in turn, numbered from 1. Throws DivergenceError that names the step.
  void see(std::int64_t step, double loss);
  [[nodiscard]] bool is_counting() const { return above > 0; }

 private:
  [[nodiscard]] double limit() const;
};

}  // namespace rwa::training

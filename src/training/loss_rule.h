// src/training/loss_rule.h: when a training loss that is still finite counts as lost.
#pragma once

#include <cstdint>

namespace rwa::training {

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

// src/training/best.h: the weights that did best in validation, for runs that end when nothing becomes
// better.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace rwa::training {

struct Best {
  double loss = 0;
  std::int64_t step = 0;
  std::int64_t evaluations_without = 0;  // since then, in a row
  std::vector<float> weights = {};       // as Model::weights(); empty: there were no evaluations

  [[nodiscard]] bool is_known() const { return !weights.empty(); }
  // For every evaluation in turn. Better is lower, if ever so little.
  void see(std::int64_t step_now, double loss_now, std::span<const float> weights_now);
};

}  // namespace rwa::training

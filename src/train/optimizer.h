// src/train/optimizer.h: what is done with a gradient.
#pragma once

#include <span>

#include "backend/backend.h"
#include "rwa/trainer.h"

namespace rwa {

// The length of a gradient, summed in double in a fixed order.
double gradient_norm(std::span<const float> gradient);

class Optimizer {
 public:
  Optimizer(const AdamSettings& settings, double clip_norm, std::size_t parameters)
      : settings_(settings), clip_norm_(clip_norm) {
    state.mean.resize(parameters);
    state.variance.resize(parameters);
  }

  // Changes the weights by one step; `norm` is the gradient's length.
  void step(Backend<float>& backend, std::span<const float> gradient, double norm,
            std::span<float> weights);

  TrainerState state;

 private:
  AdamSettings settings_;
  double clip_norm_;  // 0: never
};

}  // namespace rwa

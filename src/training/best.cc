#include "training/best.h"

namespace rwa::training {

void Best::see(std::int64_t step_now, double loss_now, std::span<const float> weights_now) {
  if (is_known() && !(loss_now < loss)) {
    ++evaluations_without;
    return;
  }
  loss = loss_now;
  step = step_now;
  evaluations_without = 0;
  weights.assign(weights_now.begin(), weights_now.end());
}

}  // namespace rwa::training

#include "train/optimizer.h"

#include <cmath>

namespace rwa {

double gradient_norm(std::span<const float> gradient) {
  double sum = 0;
  for (const double g : gradient) sum += g * g;
  return std::sqrt(sum);
}

void Optimizer::step(Backend<float>& backend, std::span<const float> gradient, double norm,
                     std::span<float> weights) {
  const double scale = clip_norm_ > 0 && norm > clip_norm_ ? clip_norm_ / norm : 1.0;
  backend.adam(settings_, ++state.steps, gradient.size(), scale, gradient.data(), weights.data(),
               state.mean.data(), state.variance.data());
}

}  // namespace rwa

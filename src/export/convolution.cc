#include "export/convolution.h"

namespace rwa::exports {

std::vector<float> convolution_weight(std::span<const float> values, int width, int kernel) {
  const auto W = static_cast<std::size_t>(width);
  const auto K = static_cast<std::size_t>(kernel);
  std::vector<float> turned(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t channel = i / (K * W), ago = i / W % K, feature = i % W;
    turned[(channel * W + feature) * K + (K - 1 - ago)] = values[i];
  }
  return turned;
}

}  // namespace rwa::exports

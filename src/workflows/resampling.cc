#include "workflows/resampling.h"

#include <algorithm>
#include <cstdint>

namespace rwa::workflows {

void resample(const formats::Sequence& sequence, std::size_t width, std::span<float> out) {
  const std::size_t steps = out.size() / width;
  if (sequence.steps == 0) {
    std::ranges::fill(out, 0.0f);
    return;
  }
  const auto last = static_cast<std::size_t>(sequence.steps) - 1;
  for (std::size_t s = 0; s < steps; ++s) {
    const double place =
        steps == 1 ? 0 : static_cast<double>(s * last) / static_cast<double>(steps - 1);
    const auto before = static_cast<std::size_t>(place);
    const auto part = static_cast<float>(place - static_cast<double>(before));
    const float* from = &sequence.x[before * width];
    const float* to = &sequence.x[std::min(before + 1, last) * width];
    for (std::size_t d = 0; d < width; ++d) {
      out[s * width + d] = from[d] + part * (to[d] - from[d]);
    }
  }
}

}  // namespace rwa::workflows

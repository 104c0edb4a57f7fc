#include "training/noise.h"

#include <array>
#include <cstddef>

#include "base/random.h"

namespace rwa::training {

void add_noise(double deviation, const NoiseKey& key, const datasets::Shape& shape,
               datasets::Batch& batch) {
  if (deviation == 0 || batch.x.empty()) return;
  const auto inputs = static_cast<std::size_t>(shape.inputs);
  const std::size_t noisy = inputs - static_cast<std::size_t>(shape.positions);
  const Random random(key.seed, Purpose::kNoise, static_cast<std::uint32_t>(key.step));
  const auto scale = static_cast<float>(deviation);
  const std::size_t sequences = batch.lengths.size();
  for (std::size_t b = 0; b < sequences; ++b) {
    const std::uint64_t place = static_cast<std::uint64_t>(key.first) + b;
    for (std::size_t t = 0; t < static_cast<std::size_t>(batch.lengths[b]); ++t) {
      float* row = batch.x.data() + (t * sequences + b) * inputs;
      const std::uint64_t first = (place << 40) + t * ((noisy + 3) / 4);
      for (std::size_t i = 0; i < noisy; i += 4) {
        const std::array<float, 4> noise = random.normals(first + i / 4);
        for (std::size_t k = 0; k < 4 && i + k < noisy; ++k) row[i + k] += scale * noise[k];
      }
    }
  }
}

}  // namespace rwa::training

#include "tasks/synthetic.h"

#include <algorithm>
#include <array>
#include <limits>

namespace rwa::tasks {

Synthetic::Synthetic(const Description& about) : about_(about) {
  constexpr std::int64_t kMostSamples = std::numeric_limits<std::uint32_t>::max();  // streams
  check_range("train", about.train, 1, kMostSamples);
  check_range("test", about.test, 1, kMostSamples);
}

Random Synthetic::random(datasets::Split split, std::int64_t sample) const {
  const Purpose purpose =
      split == datasets::Split::kTrain ? Purpose::kTrainSamples : Purpose::kTestSamples;
  return {about_.seed, purpose, static_cast<std::uint32_t>(sample)};
}

std::vector<Random> Synthetic::randoms(datasets::Split split,
                                       std::span<const std::int64_t> samples) const {
  std::vector<Random> all;
  all.reserve(samples.size());
  for (const std::int64_t sample : samples) all.push_back(random(split, sample));
  return all;
}

// Goes through the batch in memory order: four steps of all sequences fit into the cache.
void write_values(Values values, std::span<const Random> randoms, int inputs, int feature,
                  datasets::Batch& batch) {
  const auto draw = values == Values::kNormal ? &Random::normals : &Random::uniforms;
  const auto row = randoms.size() * static_cast<std::size_t>(inputs);
  for (int t = 0; t < batch.steps; t += 4) {
    for (std::size_t b = 0; b < randoms.size(); ++b) {
      const int count = std::min(4, batch.lengths[b] - t);
      if (count <= 0) continue;
      const std::array<float, 4> four = (randoms[b].*draw)(1 + static_cast<std::uint64_t>(t) / 4);
      float* x = &batch.x[static_cast<std::size_t>(t) * row + b * inputs + feature];
      for (int i = 0; i < count; ++i) x[i * row] = four[i];
    }
  }
}

}  // namespace rwa::tasks

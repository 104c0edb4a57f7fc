#include "data/synthetic.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "rwa/errors.h"

namespace rwa::data {

void check_range(std::string_view name, std::int64_t value, std::int64_t least, std::int64_t most) {
  if (value < least || value > most) {
    throw ConfigError(fmt::format("{} is {}, expected {} to {}", name, value, least, most));
  }
}

Synthetic::Synthetic(const Description& about) : about_(about) {
  constexpr std::int64_t kMostSamples = std::numeric_limits<std::uint32_t>::max();  // streams
  check_range("train", about.train, 1, kMostSamples);
  check_range("test", about.test, 1, kMostSamples);
}

Random Synthetic::random(Split split, std::int64_t sample) const {
  const Purpose purpose = split == Split::kTrain ? Purpose::kTrainSamples : Purpose::kTestSamples;
  return {about_.seed, purpose, static_cast<std::uint32_t>(sample)};
}

std::vector<Random> Synthetic::randoms(Split split, std::span<const std::int64_t> samples) const {
  std::vector<Random> all;
  all.reserve(samples.size());
  for (const std::int64_t sample : samples) all.push_back(random(split, sample));
  return all;
}

// Returns how many rows there are.
static std::size_t lay_out_rows(Batch& batch) {
  batch.steps = batch.lengths.empty() ? 0 : std::ranges::max(batch.lengths);
  batch.classes.clear();
  batch.values.clear();
  return static_cast<std::size_t>(batch.steps) * batch.lengths.size();
}

void lay_out(Batch& batch, int inputs) {
  batch.x.assign(lay_out_rows(batch) * static_cast<std::size_t>(inputs), 0.0F);
}

void lay_out_symbols(Batch& batch) { batch.symbols.assign(lay_out_rows(batch), 0); }

// Step by step, as the batch lies in memory: four steps of all sequences fit into the cache.
void write_values(Values values, std::span<const Random> randoms, int inputs, int feature,
                  Batch& batch) {
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

}  // namespace rwa::data

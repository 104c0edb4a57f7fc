#include "training/augmentation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include <fmt/format.h>

#include "base/random.h"
#include "rwa/errors.h"

namespace rwa::training {
namespace {

// The values of the sequences of a batch, step by step: [T,B,width].
template <class Value>
struct Steps {
  Value* values;
  std::size_t sequences;
  std::size_t width;
  std::size_t changed;  // of the width, from the start

  Value* at(std::int64_t t, std::size_t sequence) const {
    return values + (static_cast<std::size_t>(t) * sequences + sequence) * width;
  }
};

// Step t of a sequence of this length becomes step t + by, or the nearest one that there is.
template <class Value>
void shift_one(const Steps<Value>& steps, std::size_t sequence, std::int64_t length,
               std::int64_t by) {
  const auto copy = [&](std::int64_t t) {
    const std::int64_t from = std::clamp<std::int64_t>(t + by, 0, length - 1);
    std::copy_n(steps.at(from, sequence), steps.changed, steps.at(t, sequence));
  };
  if (by > 0) {
    for (std::int64_t t = 0; t < length; ++t) copy(t);
  } else {
    for (std::int64_t t = length; t-- > 0;) copy(t);
  }
}

template <class Value>
void shift(double most, const AugmentationKey& key, const datasets::Batch& batch,
           const Steps<Value>& steps) {
  const Random random(key.seed, Purpose::kShift, static_cast<std::uint32_t>(key.step));
  for (std::size_t b = 0; b < steps.sequences; ++b) {
    const std::uint64_t place = static_cast<std::uint64_t>(key.first) + b;
    const double part = most * (2 * random.uniform(place) - 1);
    const std::int64_t by = std::lround(part * batch.lengths[b]);
    if (by != 0) shift_one(steps, b, batch.lengths[b], by);
  }
}

void add_noise(double deviation, const AugmentationKey& key, const datasets::Batch& batch,
               const Steps<float>& steps) {
  const Random random(key.seed, Purpose::kNoise, static_cast<std::uint32_t>(key.step));
  const auto scale = static_cast<float>(deviation);
  for (std::size_t b = 0; b < steps.sequences; ++b) {
    const std::uint64_t place = static_cast<std::uint64_t>(key.first) + b;
    for (std::int32_t t = 0; t < batch.lengths[b]; ++t) {
      float* row = steps.at(t, b);
      const std::uint64_t first =
          (place << 40) + static_cast<std::uint64_t>(t) * ((steps.changed + 3) / 4);
      for (std::size_t i = 0; i < steps.changed; i += 4) {
        const std::array<float, 4> noise = random.normals(first + i / 4);
        for (std::size_t k = 0; k < 4 && i + k < steps.changed; ++k) row[i + k] += scale * noise[k];
      }
    }
  }
}

}  // namespace

void augment(const Training& training, const AugmentationKey& key, const datasets::Shape& shape,
             datasets::Batch& batch) {
  const std::size_t sequences = batch.lengths.size();
  if (shape.input == Input::kSymbols) {
    const Steps<std::int32_t> symbols{batch.symbols.data(), sequences, 1, 1};
    if (training.shift > 0) shift(training.shift, key, batch, symbols);
    return;
  }
  const auto inputs = static_cast<std::size_t>(shape.inputs);
  const Steps<float> numbers{batch.x.data(), sequences, inputs,
                             inputs - static_cast<std::size_t>(shape.positions)};
  if (training.shift > 0) shift(training.shift, key, batch, numbers);
  if (training.noise > 0) add_noise(training.noise, key, batch, numbers);
}

void check_augmentation(const Training& training, const datasets::Shape& shape) {
  if (training.shift > 0 && (shape.readout == Readout::kEvery || shape.says > 0)) {
    throw ConfigError(fmt::format("shift is {}, expected 0: the task has targets for single steps",
                                  training.shift));
  }
}

}  // namespace rwa::training

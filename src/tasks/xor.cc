// src/tasks/xor.cc: is the number of ones so far odd?
#include "tasks/kinds.h"
#include "tasks/synthetic.h"

namespace rwa::tasks {
namespace {

class Xor final : public Synthetic {
 public:
  Xor(const XorTask& task, std::uint64_t seed)
      : Synthetic({.shape = {.inputs = task.bits,
                             .outputs = 1,
                             .readout = Readout::kEvery,
                             .loss = Loss::kSigmoid,
                             .longest = task.steps,
                             .mean_length = static_cast<double>(task.steps)},
                   .naive = {.loss = 1, .accuracy = 0.5},
                   .seed = seed,
                   .train = task.train,
                   .test = task.test}) {}

  void fill(datasets::Split split, std::span<const std::int64_t> samples,
            datasets::Batch& batch) const override {
    batch.lengths.assign(samples.size(), shape().longest);
    lay_out(batch, shape().inputs);
    batch.values.resize(static_cast<std::size_t>(batch.steps) * samples.size());
    for (std::size_t b = 0; b < samples.size(); ++b) {
      write_sample(Draws(random(split, samples[b])), b, batch);
    }
  }

 private:
  void write_sample(Draws draws, std::size_t b, datasets::Batch& batch) const {
    const auto bits = static_cast<std::size_t>(shape().inputs);
    int odd = 0;
    for (std::size_t row = b; row < batch.values.size(); row += batch.lengths.size()) {
      for (std::size_t i = 0; i < bits; ++i) {
        const int bit = draws.below(2);
        odd ^= bit;
        batch.x[row * bits + i] = bit == 1 ? 1.0F : -1.0F;
      }
      batch.values[row] = static_cast<float>(odd);
    }
  }
};

}  // namespace

std::unique_ptr<datasets::Dataset> open_xor(const XorTask& task, std::uint64_t seed) {
  constexpr int kMostBits = 1000;
  check_range("steps", task.steps, 1, kMostSteps);
  check_range("bits", task.bits, 1, kMostBits);
  return std::make_unique<Xor>(task, seed);
}

}  // namespace rwa::tasks

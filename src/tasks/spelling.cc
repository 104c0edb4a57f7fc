// src/tasks/spelling.cc: a decoder spells numbers digit by digit.
#include <cmath>

#include "tasks/kinds.h"
#include "tasks/synthetic.h"

namespace rwa::tasks {
namespace {

class Spelling final : public Synthetic {
 public:
  Spelling(const SpellingTask& task, std::uint64_t seed)
      : Synthetic({.shape = {.inputs = task.numbers,
                             .outputs = task.base,
                             .readout = Readout::kLast,
                             .loss = Loss::kSoftmax,
                             .longest = 1,
                             .mean_length = 1,
                             .says = task.numbers * task.digits},
                   .naive = {.loss = std::log2(task.base), .accuracy = 1.0 / task.base},
                   .seed = seed,
                   .train = task.train,
                   .test = task.test}),
        task_(task) {}

  void fill(datasets::Split split, std::span<const std::int64_t> samples,
            datasets::Batch& batch) const override {
    batch.lengths.assign(samples.size(), 1);
    lay_out(batch, task_.numbers);
    batch.target_steps = shape().says;
    batch.target_lengths.assign(samples.size(), batch.target_steps);
    batch.classes.resize(static_cast<std::size_t>(batch.target_steps) * samples.size());
    for (std::size_t b = 0; b < samples.size(); ++b) {
      Draws draws(random(split, samples[b]));
      std::size_t row = b;
      for (int i = 0; i < task_.numbers; ++i) {
        double part = 0, width = 2;
        for (int digit = 0; digit < task_.digits; ++digit, row += samples.size()) {
          batch.classes[row] = draws.below(task_.base);
          width /= task_.base;
          part += batch.classes[row] * width;
        }
        batch.x[b * static_cast<std::size_t>(task_.numbers) + i] =
            static_cast<float>(part + width / 2 - 1);
      }
    }
  }

 private:
  SpellingTask task_;
};

}  // namespace

std::unique_ptr<datasets::Dataset> open_spelling(const SpellingTask& task, std::uint64_t seed) {
  constexpr int kMostNumbers = 1000;
  constexpr double kMostParts = 1 << 20;  // that floats can distinguish
  check_range("numbers", task.numbers, 1, kMostNumbers);
  check_range("base", task.base, 2, kMostSymbols);
  const auto most_digits = static_cast<int>(std::log(kMostParts) / std::log(task.base) + 1e-9);
  check_range("digits", task.digits, 1, most_digits);
  return std::make_unique<Spelling>(task, seed);
}

}  // namespace rwa::tasks

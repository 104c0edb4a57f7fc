// src/tasks/copy.cc: remember symbols until the delimiter, then repeat them.
#include <cmath>

#include "tasks/kinds.h"
#include "tasks/synthetic.h"

namespace rwa::tasks {
namespace {

int steps_of(const CopyTask& task) { return 2 * task.remember + task.delay; }

class Copy final : public Synthetic {
 public:
  Copy(const CopyTask& task, std::uint64_t seed)
      : Synthetic({.shape = {.inputs = task.symbols + 2,
                             .outputs = task.symbols + 1,
                             .readout = Readout::kEvery,
                             .loss = Loss::kSoftmax,
                             .longest = steps_of(task),
                             .mean_length = static_cast<double>(steps_of(task))},
                   // The baseline knows where the blanks are and guesses the symbols.
                   .naive = {.loss = task.remember * std::log2(task.symbols) / steps_of(task),
                             .accuracy = {}},
                   .seed = seed,
                   .train = task.train,
                   .test = task.test}),
        task_(task),
        blank_(task.symbols),
        delimiter_(task.symbols + 1) {}

  void fill(datasets::Split split, std::span<const std::int64_t> samples,
            datasets::Batch& batch) const override {
    batch.lengths.assign(samples.size(), shape().longest);
    lay_out(batch, shape().inputs);
    const std::size_t rows = samples.size() * static_cast<std::size_t>(batch.steps);
    batch.classes.assign(rows, blank_);
    const std::size_t remembered = samples.size() * static_cast<std::size_t>(task_.remember);
    for (std::size_t row = remembered; row < rows; ++row) input(batch, row, blank_) = 1;
    for (std::size_t b = 0; b < samples.size(); ++b) {
      write_sample(Draws(random(split, samples[b])), b, batch);
    }
  }

 private:
  float& input(datasets::Batch& batch, std::size_t row, int feature) const {
    return batch.x[row * static_cast<std::size_t>(shape().inputs) + feature];
  }

  // Overwrites blanks with one sample.
  void write_sample(Draws draws, std::size_t b, datasets::Batch& batch) const {
    const auto row = [&](int step) {
      return static_cast<std::size_t>(step) * batch.lengths.size() + b;
    };
    const int asked = task_.remember + draws.below(task_.delimiter_places);
    input(batch, row(asked), blank_) = 0;
    input(batch, row(asked), delimiter_) = 1;
    for (int i = 0; i < task_.remember; ++i) {
      const int symbol = draws.below(task_.symbols);
      input(batch, row(i), symbol) = 1;
      batch.classes[row(asked + 1 + i)] = symbol;
    }
  }

  CopyTask task_;
  int blank_, delimiter_;
};

}  // namespace

std::unique_ptr<datasets::Dataset> open_copy(const CopyTask& task, std::uint64_t seed) {
  check_range("remember", task.remember, 1, kMostSteps);
  check_range("delay", task.delay, 1, kMostSteps);
  check_range("symbols", task.symbols, 2, kMostSymbols);
  check_range("delimiter_places", task.delimiter_places, 1, task.delay);
  return std::make_unique<Copy>(task, seed);
}

}  // namespace rwa::tasks

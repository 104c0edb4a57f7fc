// src/tasks/look_ahead.cc: predict the symbol some steps ahead.
#include <cmath>

#include "tasks/kinds.h"
#include "tasks/synthetic.h"

namespace rwa::tasks {
namespace {

// The share of steps whose target is a symbol.
double share_of_symbols(const LookAheadTask& task) {
  return static_cast<double>(task.steps - task.ahead) / task.steps;
}

class LookAhead final : public Synthetic {
 public:
  LookAhead(const LookAheadTask& task, std::uint64_t seed)
      : Synthetic({.shape = {.input = Input::kSymbols,
                             .inputs = task.symbols,
                             .outputs = task.symbols + 1,
                             .readout = Readout::kEvery,
                             .loss = Loss::kSoftmax,
                             .longest = task.steps,
                             .mean_length = static_cast<double>(task.steps)},
                   // The baseline knows where the end is and guesses the symbols.
                   .naive = {.loss = share_of_symbols(task) * std::log2(task.symbols),
                             .accuracy = 1 - share_of_symbols(task) * (1 - 1.0 / task.symbols)},
                   .seed = seed,
                   .train = task.train,
                   .test = task.test}),
        task_(task) {}

  void fill(datasets::Split split, std::span<const std::int64_t> samples,
            datasets::Batch& batch) const override {
    batch.lengths.assign(samples.size(), shape().longest);
    lay_out_symbols(batch);
    const std::size_t rows = batch.symbols.size();
    batch.classes.assign(rows, task_.symbols);
    const std::size_t ahead = static_cast<std::size_t>(task_.ahead) * samples.size();
    for (std::size_t b = 0; b < samples.size(); ++b) {
      Draws draws(random(split, samples[b]));
      for (std::size_t row = b; row < rows; row += samples.size()) {
        batch.symbols[row] = draws.below(task_.symbols);
        if (row >= ahead) batch.classes[row - ahead] = batch.symbols[row];
      }
    }
  }

 private:
  LookAheadTask task_;
};

}  // namespace

std::unique_ptr<datasets::Dataset> open_look_ahead(const LookAheadTask& task, std::uint64_t seed) {
  check_range("steps", task.steps, 2, kMostSteps);
  check_range("ahead", task.ahead, 1, task.steps - 1);
  check_range("symbols", task.symbols, 2, kMostSymbols);
  return std::make_unique<LookAhead>(task, seed);
}

}  // namespace rwa::tasks

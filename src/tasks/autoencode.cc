// src/tasks/autoencode.cc: a decoder reproduces its input sequence.
#include <algorithm>
#include <cmath>

#include "tasks/kinds.h"
#include "tasks/synthetic.h"

namespace rwa::tasks {
namespace {

double mean_length(const AutoencodeTask& task) {
  return (static_cast<double>(task.shortest) + task.longest) / 2;
}

// The baseline knows the distribution of lengths and the current step, but not the symbols.
datasets::Naive naive_of(const AutoencodeTask& task) {
  const double lengths = task.longest - task.shortest + 1;
  const double labels = mean_length(task) + 1;
  double right = 0;  // expected correct labels per sequence, with the best guess at each step
  for (int place = 0; place <= task.longest; ++place) {
    const double said = std::min(1.0, (task.longest - place + 1) / lengths);  // P(step has a label)
    const double end = place >= task.shortest ? 1 / lengths : 0;
    right += std::max(end, (said - end) / task.symbols);
  }
  return {.loss = (std::log2(lengths) + mean_length(task) * std::log2(task.symbols)) / labels,
          .accuracy = right / labels};
}

class Autoencode final : public Synthetic {
 public:
  Autoencode(const AutoencodeTask& task, std::uint64_t seed)
      : Synthetic({.shape = {.input = Input::kSymbols,
                             .inputs = task.symbols,
                             .outputs = task.symbols + 1,
                             .readout = Readout::kLast,
                             .loss = Loss::kSoftmax,
                             .longest = task.longest,
                             .mean_length = mean_length(task),
                             .says = task.longest + 1},
                   .naive = naive_of(task),
                   .seed = seed,
                   .train = task.train,
                   .test = task.test}),
        task_(task) {}

  void fill(datasets::Split split, std::span<const std::int64_t> samples,
            datasets::Batch& batch) const override {
    std::vector<Draws> draws;
    batch.lengths.clear();
    for (const std::int64_t sample : samples) {
      draws.emplace_back(random(split, sample));
      batch.lengths.push_back(task_.shortest +
                              draws.back().below(task_.longest - task_.shortest + 1));
    }
    lay_out_symbols(batch);
    batch.target_steps = batch.steps + 1;
    batch.target_lengths.clear();
    // Padding, which is never read, is filled with the end label.
    batch.classes.assign(batch.symbols.size() + samples.size(), task_.symbols);
    for (std::size_t b = 0; b < samples.size(); ++b) {
      batch.target_lengths.push_back(batch.lengths[b] + 1);
      for (int t = 0; t < batch.lengths[b]; ++t) {
        const std::size_t row = static_cast<std::size_t>(t) * samples.size() + b;
        batch.symbols[row] = batch.classes[row] = draws[b].below(task_.symbols);
      }
    }
  }

 private:
  AutoencodeTask task_;
};

}  // namespace

std::unique_ptr<datasets::Dataset> open_autoencode(const AutoencodeTask& task, std::uint64_t seed) {
  check_range("longest", task.longest, 1, kMostSteps);
  check_range("shortest", task.shortest, 0, task.longest);
  check_range("symbols", task.symbols, 2, kMostSymbols);
  return std::make_unique<Autoencode>(task, seed);
}

}  // namespace rwa::tasks

// src/tasks/multi_copy.cc: several copy episodes within one sequence.
#include <algorithm>
#include <cmath>

#include "tasks/kinds.h"
#include "tasks/synthetic.h"

namespace rwa::tasks {
namespace {

int steps_of_episode(const MultiCopyTask& task) { return 2 * task.remember + task.delay; }

// The share of steps whose target is a symbol.
double share_of_symbols(const MultiCopyTask& task) {
  return static_cast<double>(task.remember) / steps_of_episode(task);
}

class MultiCopy final : public Synthetic {
 public:
  MultiCopy(const MultiCopyTask& task, std::uint64_t seed)
      : Synthetic(
            {.shape = {.input = Input::kSymbols,
                       .inputs = task.symbols + 2,
                       .outputs = task.symbols + 1,
                       .readout = Readout::kEvery,
                       .loss = Loss::kSoftmax,
                       .longest =
                           std::max(task.episodes, task.test_episodes) * steps_of_episode(task),
                       .mean_length = static_cast<double>(task.episodes) * steps_of_episode(task)},
             // The baseline knows where the blanks are and guesses the symbols.
             .naive = {.loss = share_of_symbols(task) * std::log2(task.symbols),
                       .accuracy = 1 - share_of_symbols(task) * (1 - 1.0 / task.symbols)},
             .seed = seed,
             .train = task.train,
             .test = task.test}),
        task_(task),
        blank_(task.symbols),
        delimiter_(task.symbols + 1) {}

  void fill(datasets::Split split, std::span<const std::int64_t> samples,
            datasets::Batch& batch) const override {
    const int episodes = split == datasets::Split::kTrain ? task_.episodes : task_.test_episodes;
    batch.lengths.assign(samples.size(), episodes * steps_of_episode(task_));
    lay_out_symbols(batch);
    batch.symbols.assign(batch.symbols.size(), blank_);
    batch.classes.assign(batch.symbols.size(), blank_);
    for (std::size_t b = 0; b < samples.size(); ++b) {
      Draws draws(random(split, samples[b]));
      for (int episode = 0; episode < episodes; ++episode) {
        write_episode(draws, episode * steps_of_episode(task_), b, batch);
      }
    }
  }

 private:
  // Overwrites blanks with one episode.
  void write_episode(Draws& draws, int first, std::size_t b, datasets::Batch& batch) const {
    const auto row = [&](int step) {
      return static_cast<std::size_t>(step) * batch.lengths.size() + b;
    };
    const int asked = first + task_.remember + draws.below(task_.delay);
    batch.symbols[row(asked)] = delimiter_;
    for (int i = 0; i < task_.remember; ++i) {
      const int symbol = draws.below(task_.symbols);
      batch.symbols[row(first + i)] = symbol;
      batch.classes[row(asked + 1 + i)] = symbol;
    }
  }

  MultiCopyTask task_;
  int blank_, delimiter_;
};

}  // namespace

std::unique_ptr<datasets::Dataset> open_multi_copy(const MultiCopyTask& task, std::uint64_t seed) {
  check_range("remember", task.remember, 1, kMostSteps);
  check_range("delay", task.delay, 1, kMostSteps);
  check_range("episodes", task.episodes, 1, kMostSteps / steps_of_episode(task));
  check_range("test_episodes", task.test_episodes, 1, kMostSteps / steps_of_episode(task));
  check_range("symbols", task.symbols, 2, kMostSymbols);
  return std::make_unique<MultiCopy>(task, seed);
}

}  // namespace rwa::tasks

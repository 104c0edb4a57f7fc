// src/tasks/adding.cc: the sum of two marked values.
#include "tasks/kinds.h"
#include "tasks/synthetic.h"

namespace rwa::tasks {
namespace {

class Adding final : public Synthetic {
 public:
  Adding(const AddingTask& task, std::uint64_t seed)
      : Synthetic({.shape = {.inputs = 2,
                             .outputs = 1,
                             .readout = Readout::kLast,
                             .loss = Loss::kSquaredError,
                             .longest = task.steps,
                             .mean_length = static_cast<double>(task.steps)},
                   .naive = {.loss = 1.0 / 6, .accuracy = {}},  // the variance of the sum
                   .seed = seed,
                   .train = task.train,
                   .test = task.test}),
        value_(task.order == AddingOrder::kIndicatorValue ? 1 : 0) {}

  void fill(datasets::Split split, std::span<const std::int64_t> samples,
            datasets::Batch& batch) const override {
    const std::vector<Random> numbers = randoms(split, samples);
    batch.lengths.assign(samples.size(), shape().longest);
    lay_out(batch, shape().inputs);
    write_values(Values::kUniform, numbers, shape().inputs, value_, batch);
    for (std::size_t b = 0; b < numbers.size(); ++b) {
      Draws draws(numbers[b]);
      const int first = draws.below(shape().longest);
      const int other = draws.below(shape().longest - 1);
      const int second = other + (other >= first ? 1 : 0);  // any step but the first
      batch.values.push_back(mark(batch, first, b) + mark(batch, second, b));
    }
  }

 private:
  // Marks a step and returns its value.
  float mark(datasets::Batch& batch, int step, std::size_t b) const {
    const std::size_t row = static_cast<std::size_t>(step) * batch.lengths.size() + b;
    float* x = &batch.x[row * 2];
    x[1 - value_] = 1;
    return x[value_];
  }

  int value_;  // the feature with the value; the other is the indicator
};

}  // namespace

std::unique_ptr<datasets::Dataset> open_adding(const AddingTask& task, std::uint64_t seed) {
  check_range("steps", task.steps, 2, kMostSteps);
  (void)to_string(task.order);  // throws for an invalid value
  return std::make_unique<Adding>(task, seed);
}

}  // namespace rwa::tasks

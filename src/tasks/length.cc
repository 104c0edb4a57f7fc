// src/tasks/length.cc: is a sequence longer than a threshold?
#include "tasks/kinds.h"
#include "tasks/synthetic.h"

namespace rwa::tasks {
namespace {

class Length final : public Synthetic {
 public:
  Length(const LengthTask& task, std::uint64_t seed)
      : Synthetic({.shape = {.inputs = 1,
                             .outputs = 1,
                             .readout = Readout::kLast,
                             .loss = Loss::kSigmoid,
                             .longest = task.longest,
                             .mean_length = task.longest / 2.0},
                   .naive = {.loss = 1, .accuracy = 0.5},
                   .seed = seed,
                   .train = task.train,
                   .test = task.test}),
        task_(task) {}

  void fill(datasets::Split split, std::span<const std::int64_t> samples,
            datasets::Batch& batch) const override {
    const std::vector<Random> numbers = randoms(split, samples);
    batch.lengths.clear();
    for (const Random& random : numbers) {
      batch.lengths.push_back(Draws(random).below(task_.longest + 1));
    }
    lay_out(batch, shape().inputs);
    write_values(task_.values, numbers, shape().inputs, 0, batch);
    for (const std::int32_t length : batch.lengths) {
      batch.values.push_back(length > task_.threshold ? 1.0F : 0.0F);
    }
  }

 private:
  LengthTask task_;
};

}  // namespace

std::unique_ptr<datasets::Dataset> open_length(const LengthTask& task, std::uint64_t seed) {
  check_range("longest", task.longest, 1, kMostSteps);
  check_range("threshold", task.threshold, 0, task.longest - 1);
  (void)to_string(task.values);  // throws for an invalid value
  return std::make_unique<Length>(task, seed);
}

}  // namespace rwa::tasks

// examples/adding.cc: trains a recurrent weighted average on the adding problem: two steps are
// marked, and the target is the sum of their values. Usage: adding [STEPS [MODEL-FILE]]
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#include "rwa/rwa.h"

namespace {
constexpr int kLength = 30;
constexpr int kBatch = 100;

struct Batch {
  std::vector<float> x = std::vector<float>(kLength * kBatch * 2);  // [T,B,2]: mark, value
  std::vector<float> sum = std::vector<float>(kBatch);

  [[nodiscard]] rwa::BatchView view() const { return {.x = x, .steps = kLength, .batch = kBatch}; }
  [[nodiscard]] rwa::TargetView target() const { return {.values = sum}; }
};

Batch draw(std::mt19937& random) {
  std::uniform_real_distribution<float> value(0, 1);
  std::uniform_int_distribution<int> position(0, kLength - 1);
  Batch batch;
  for (int b = 0; b < kBatch; ++b) {
    const int first = position(random);
    int second = position(random);
    while (second == first) second = position(random);
    for (int t = 0; t < kLength; ++t) {
      float* step = &batch.x[static_cast<std::size_t>(t * kBatch + b) * 2];
      const bool marked = t == first || t == second;
      step[0] = marked ? 1.0f : 0.0f;
      step[1] = value(random);
      if (marked) batch.sum[static_cast<std::size_t>(b)] += step[1];
    }
  }
  return batch;
}
}  // namespace

int main(int argc, char** argv) {
  const int steps = argc > 1 ? std::atoi(argv[1]) : 600;
  rwa::Model model({.inputs = 2, .units = 64, .outputs = 1, .loss = rwa::Loss::kSquaredError});
  rwa::Trainer trainer(model, {.session = {.threads = 2}});
  std::mt19937 random(1);
  for (int step = 1; step <= steps; ++step) {
    const Batch batch = draw(random);
    const auto result = trainer.step(batch.view(), batch.target());
    if (step % 100 == 0) std::printf("step %4d   squared error %.4f\n", step, result.loss);
  }

  const Batch test = draw(random);
  rwa::Session session(model);
  const double error = session.loss(test.view(), test.target());
  std::printf("on new sequences: squared error %.4f (always predicting 1 gives 0.167)\n", error);
  if (argc > 2) model.save(argv[2]);
}

// examples/network.cc: a larger network on symbols: an embedding, two bidirectional layers and
// attention. One symbol is a mark, and the target is the symbol after it. Usage: network [STEPS]
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#include "rwa/rwa.h"

namespace {
constexpr int kSymbols = 10;  // the last one is the mark
constexpr int kMark = kSymbols - 1;
constexpr int kLength = 20;
constexpr int kBatch = 100;

struct Batch {
  std::vector<std::int32_t> symbols = std::vector<std::int32_t>(kLength * kBatch);  // [T,B]
  std::vector<std::int32_t> answers = std::vector<std::int32_t>(kBatch);

  [[nodiscard]] rwa::BatchView view() const {
    return {.steps = kLength, .batch = kBatch, .symbols = symbols};
  }
  [[nodiscard]] rwa::TargetView target() const { return {.classes = answers}; }
};

Batch draw(std::mt19937& random) {
  std::uniform_int_distribution<std::int32_t> symbol(0, kMark - 1);
  std::uniform_int_distribution<int> position(0, kLength - 2);
  Batch batch;
  std::generate(batch.symbols.begin(), batch.symbols.end(), [&] { return symbol(random); });
  for (int b = 0; b < kBatch; ++b) {
    const int marked = position(random) * kBatch + b;
    batch.symbols[static_cast<std::size_t>(marked)] = kMark;
    batch.answers[static_cast<std::size_t>(b)] =
        batch.symbols[static_cast<std::size_t>(marked + kBatch)];
  }
  return batch;
}
}  // namespace

int main(int argc, char** argv) {
  const int steps = argc > 1 ? std::atoi(argv[1]) : 200;
  const rwa::ModelConfig config{.input = rwa::Input::kSymbols,
                                .inputs = kSymbols,
                                .embedding = 8,
                                .units = 24,
                                .layers = 2,
                                .bidirectional = true,
                                .readout = rwa::Readout::kAttention,
                                .outputs = kMark};
  for (const rwa::NetworkPart& part : rwa::describe(config)) {
    std::printf("%-10s %-42s %-10s %6zu\n", part.name.c_str(), part.what.c_str(),
                part.shape.c_str(), part.parameters);
  }

  rwa::Model model(config);
  rwa::Trainer trainer(model, {.learning_rate = 1e-2, .session = {.threads = 2}});
  std::mt19937 random(1);
  for (int step = 1; step <= steps; ++step) {
    const Batch batch = draw(random);
    const auto result = trainer.step(batch.view(), batch.target());
    if (step % 50 == 0) std::printf("step %4d   loss %.4f\n", step, result.loss);
  }

  const Batch test = draw(random);
  rwa::Session session(model);
  std::vector<float> y(kBatch * kMark);
  session.run(test.view(), y);
  int right = 0;
  for (int b = 0; b < kBatch; ++b) {
    const auto row = y.begin() + b * kMark;
    right += std::max_element(row, row + kMark) - row == test.answers[static_cast<std::size_t>(b)];
  }
  std::printf("on new sequences: %d of %d right\n", right, kBatch);
}

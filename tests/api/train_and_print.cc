// tests/api/train_and_print.cc: trains a few steps on fixed data and prints every bit of the
// result, for same_bits_test.sh to compare between processes.
#include <bit>
#include <cstdint>
#include <cstdio>

#include "rwa/rwa.h"
#include "support/random_data.h"

int main() {
  for (const rwa::Cell cell : {rwa::Cell::kRwa, rwa::Cell::kLstm}) {
    rwa::Model model(
        {.inputs = 3, .cell = cell, .units = 45, .readout = rwa::Readout::kEvery, .outputs = 5});
    rwa::Trainer trainer(model, {.session = {.threads = 2}});
    rwa::RandomData random(7);
    for (int step = 0; step < 5; ++step) {
      const auto x = random.normal<float>(40 * 23 * 3);
      const auto lengths = random.lengths(23, 40);
      const auto classes = random.classes(40 * 23, 5);
      const auto result = trainer.step({.x = x, .steps = 40, .batch = 23, .lengths = lengths},
                                       {.classes = classes});
      std::printf("%a\n", result.loss);
    }
    for (const float w : model.weights()) std::printf("%08x\n", std::bit_cast<std::uint32_t>(w));
  }
}

// tests/api/training_memory_test.cc: the estimated memory is close to what training takes.
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "io/io_testing.h"
#include "rwa/rwa.h"
#include "support/batches.h"
#include "support/heap.h"

namespace rwa {
namespace {

// Returns the memory taken by one training step with a batch of this shape.
std::size_t taken(const ModelConfig& config, int steps, int batch, Memory memory) {
  cases::Data data = cases::make_data(config, steps, batch, 1);
  data.lengths.assign(data.lengths.size(), steps);
  const std::size_t before = cases::heap_in_use();
  Model model(config);
  Trainer trainer(model, {.session = {.threads = 2, .memory = memory}});
  trainer.step(data.view(), data.targets());
  return cases::heap_in_use() - before;
}

void expect_about(const ModelConfig& config, int steps, int batch) {
  if (!cases::heap_is_counted()) GTEST_SKIP() << "this heap does not report its usage";
  for (const Memory memory : {Memory::kFull, Memory::kChunked}) {
    const auto found = static_cast<double>(taken(config, steps, batch, memory));
    const auto said = static_cast<double>(training_memory(config, steps, batch, memory));
    EXPECT_GT(found, 0.7 * said) << to_string(memory);
    EXPECT_LT(found, 1.4 * said) << to_string(memory);
  }
}

TEST(TrainingMemory, IsThatOfThePapersLayer) {
  for (const Cell cell : all_cells()) {
    SCOPED_TRACE(to_string(cell));
    expect_about({.inputs = 1, .cell = cell, .units = 250, .outputs = 10}, 200, 50);
    expect_about({.inputs = 2, .cell = cell, .units = 50, .outputs = 1}, 1000, 16);
  }
}

TEST(TrainingMemory, IsThatOfFewSequencesAndManyWeights) {
  expect_about({.inputs = 100, .units = 300, .outputs = 200}, 5, 8);
  expect_about({.inputs = 100, .units = 300, .outputs = 200}, 5, 1);
}

TEST(TrainingMemory, IsThatOfStacks) {
  for (const bool both : {false, true}) {
    for (const Readout readout : {Readout::kLast, Readout::kEvery, Readout::kAttention}) {
      SCOPED_TRACE(std::string(to_string(readout)) + (both ? ", both ways" : ""));
      expect_about({.inputs = 7,
                    .cell = Cell::kRwaForget,
                    .units = 60,
                    .layers = 3,
                    .bidirectional = both,
                    .readout = readout,
                    .outputs = 20},
                   150, 20);
    }
  }
}

TEST(TrainingMemory, IsThatOfSymbolsAndDecoders) {
  for (const int embedding : {0, 30}) {
    for (const int code : {0, 40}) {
      SCOPED_TRACE("embedding " + std::to_string(embedding) + ", code " + std::to_string(code));
      expect_about({.input = Input::kSymbols,
                    .inputs = 50,
                    .embedding = embedding,
                    .cell = Cell::kGru,
                    .units = 64,
                    .layers = 2,
                    .readout = code > 0 ? Readout::kMean : Readout::kEvery,
                    .outputs = 50,
                    .code = code},
                   120, 24);
    }
  }
}

TEST(TrainingMemory, IsThatOfAStem) {
  expect_about({.inputs = 1, .stem = {15, 9, 5}, .units = 64, .outputs = 3}, 250, 8);
  expect_about({.inputs = 6, .stem = {9}, .channels = 32, .units = 20, .outputs = 3}, 250, 24);
}

TEST(TrainingMemory, LittleMemoryIsLess) {
  const ModelConfig config{.inputs = 1, .units = 250, .outputs = 10};
  EXPECT_LT(training_memory(config, 1000, 100, Memory::kChunked),
            training_memory(config, 1000, 100) / 4);
}

TEST(TrainingMemory, IsRefusedForWhatCannotBe) {
  io::expect_error<ConfigError>([] { (void)training_memory({.units = 0}, 10, 10); }, {"units"});
  io::expect_error<InputError>([] { (void)training_memory({}, -1, 10); }, {"steps is -1"});
}

}  // namespace
}  // namespace rwa

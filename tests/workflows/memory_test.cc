// tests/workflows/memory_test.cc: tests how batches of long sequences are fitted into memory.
#include "workflows/memory.h"

#include <string>

#include <gtest/gtest.h>

#include "rwa/errors.h"

namespace rwa::workflows {
namespace {

constexpr ModelConfig kNetwork{.inputs = 2, .units = 16, .outputs = 2};
constexpr int kSteps = 1000;

TEST(BatchFit, KeepsAllWhereThereIsRoom) {
  const std::size_t room = training_memory(kNetwork, kSteps, 32, Memory::kFull);
  const BatchFit found = fit_batch(kNetwork, kSteps, 32, room);
  EXPECT_EQ(found.memory, Memory::kFull);
  EXPECT_EQ(found.batch, 32);
}

TEST(BatchFit, KeepsLessThenSplitsTheBatch) {
  const std::size_t less = training_memory(kNetwork, kSteps, 32, Memory::kChunked);
  EXPECT_EQ(fit_batch(kNetwork, kSteps, 32, less).memory, Memory::kChunked);
  EXPECT_EQ(fit_batch(kNetwork, kSteps, 32, less).batch, 32);
  const BatchFit split = fit_batch(kNetwork, kSteps, 32, less - 1);
  EXPECT_EQ(split.memory, Memory::kChunked);
  EXPECT_EQ(split.batch, 16);
}

TEST(BatchFit, RefusesASequenceThatIsTooLongWithWhatHelps) {
  try {
    fit_batch(kNetwork, kSteps, 32, 1000);
    FAIL() << "it fits";
  } catch (const ResourceError& error) {
    for (const char* part : {"1,000 steps", "bytes", "--window", "--truncate"}) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  }
}

TEST(BatchFit, KnowsThatThisMachineHasMemory) {
  EXPECT_GT(available_memory(), std::size_t{1} << 24);
}

}  // namespace
}  // namespace rwa::workflows

// tests/datasets/files_order_test.cc: the order of training samples: each once per epoch, in memory
// or on disk, and the same from any thread.
#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "datasets/files_order.h"
#include "io/io_testing.h"
#include "store_testing.h"

namespace rwa::datasets {
namespace {

using Samples = std::vector<std::int64_t>;

class OrderTest : public ::testing::Test {
 protected:
  // Makes a store of sequences whose labels cycle through 0, 1 and 2.
  Store& store(std::int64_t sequences, std::size_t memory) {
    stores_.push_back(std::make_unique<Store>(folder_.path(), memory));
    for (std::int64_t i = 0; i < sequences; ++i) stores_.back()->append(made_sequence(i, 300));
    stores_.back()->close();
    return *stores_.back();
  }
  static Samples draw(const SampleOrder& order, std::int64_t first, std::int64_t count,
                      std::uint64_t seed = 1) {
    Samples samples(static_cast<std::size_t>(count));
    order.draw(seed, first, samples);
    return samples;
  }
  static void expect_permutation(Samples samples) {
    std::ranges::sort(samples);
    Samples all(samples.size());
    std::iota(all.begin(), all.end(), 0);
    EXPECT_EQ(samples, all);
  }

  io::TempFolder folder_;
  std::vector<std::unique_ptr<Store>> stores_;
};

TEST_F(OrderTest, EveryEpochHasEverySampleOnce) {
  const SampleOrder order({&store(1000, Store::kMemory)}, false);
  for (std::int64_t epoch = 0; epoch < 3; ++epoch) {
    const Samples samples = draw(order, epoch * 1000, 1000);
    expect_permutation(samples);
    EXPECT_FALSE(std::ranges::is_sorted(samples));
    EXPECT_NE(samples, draw(order, (epoch + 1) * 1000, 1000));
    EXPECT_NE(samples, draw(order, epoch * 1000, 1000, 2));
  }
}

TEST_F(OrderTest, OnTheDiskToo) {
  const SampleOrder order({&store(3000, std::size_t{1} << 20), &store(2000, std::size_t{1} << 19)},
                          false);
  expect_permutation(draw(order, 0, 5000));
  expect_permutation(draw(order, 5000, 5000));
}

TEST_F(OrderTest, DoesNotDependOnWhoAskedBefore) {
  const Store& on_disk = store(3000, std::size_t{1} << 20);
  const Samples all = draw(SampleOrder({&on_disk}, false), 0, 7000);
  const SampleOrder order({&on_disk}, false);
  const Random random(5, Purpose::kTrainDraws);
  for (std::uint64_t i = 0; i < 200; ++i) {
    const auto first = static_cast<std::int64_t>(random.below(2 * i, 6900));
    const auto count = static_cast<std::int64_t>(random.below(2 * i + 1, 100));
    const Samples expected(all.begin() + first, all.begin() + first + count);
    ASSERT_EQ(draw(order, first, count), expected) << first;
  }
}

// On disk, a group of blocks that fits into memory is finished before the next begins.
TEST_F(OrderTest, TakesNoMoreBlocksAtATimeThanFitIntoMemory) {
  const Store& on_disk = store(5000, std::size_t{1} << 20);
  ASSERT_GT(on_disk.blocks(), 8);
  const SampleOrder order({&on_disk}, false);
  std::size_t loads = 0, used = 0;
  std::vector<std::int64_t> recent;  // a reference cache, most recently used last
  std::size_t bytes = 0;
  for (const std::int64_t sample : draw(order, 0, 5000)) {
    const std::int64_t block = on_disk.block_of(sample);
    ++used;
    if (const auto found = std::ranges::find(recent, block); found != recent.end()) {
      recent.erase(found);
    } else {
      ++loads;
      bytes += on_disk.bytes(block);
    }
    recent.push_back(block);
    while (bytes > on_disk.memory()) {
      bytes -= on_disk.bytes(recent.front());
      recent.erase(recent.begin());
    }
  }
  EXPECT_EQ(used, 5000);
  EXPECT_LT(loads, static_cast<std::size_t>(2 * on_disk.blocks()));
}

TEST_F(OrderTest, TheGroupsAreOthersInEveryEpoch) {
  const Store& on_disk = store(5000, std::size_t{1} << 20);
  const SampleOrder order({&on_disk}, false);
  const auto beginning = [&](std::int64_t epoch) {
    std::set<std::int64_t> blocks;
    for (const std::int64_t sample : draw(order, epoch * 5000, 300)) {
      blocks.insert(on_disk.block_of(sample));
    }
    return blocks;
  };
  EXPECT_LE(beginning(0).size(), 4);
  EXPECT_NE(beginning(0), beginning(1));
}

TEST_F(OrderTest, OneSampleIsAnEpoch) {
  const SampleOrder order({&store(1, Store::kMemory)}, false);
  EXPECT_EQ(draw(order, 12'345'678'901, 3), (Samples{0, 0, 0}));
}

TEST_F(OrderTest, BalancedHasEveryClassAsOften) {
  Store& uneven = *stores_.emplace_back(std::make_unique<Store>(folder_.path()));
  for (std::int64_t i = 0; i < 1000; ++i) {
    formats::Sequence sequence = made_sequence(i, 10);
    sequence.labels = {i == 17 ? 5 : i < 100 ? 2 : 0};
    uneven.append(sequence);
  }
  uneven.close();
  const SampleOrder order({&uneven}, true);
  const Samples samples = draw(order, 0, 9000);
  std::map<int, int> classes;
  for (const std::int64_t sample : samples) ++classes[sample == 17 ? 5 : sample < 100 ? 2 : 0];
  for (const int label : {0, 2, 5}) EXPECT_NEAR(classes[label], 3000, 4 * 45) << label;
  EXPECT_GT(std::set(samples.begin(), samples.end()).size(), 950);
  EXPECT_EQ(draw(order, 4500, 4500), Samples(samples.begin() + 4500, samples.end()));
}

}  // namespace
}  // namespace rwa::datasets

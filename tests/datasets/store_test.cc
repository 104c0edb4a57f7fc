// tests/datasets/store_test.cc: a store returns what was added, from memory or disk.
#include <atomic>
#include <csignal>
#include <limits>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <sys/resource.h>

#include "datasets/store.h"
#include "io/io_testing.h"
#include "rwa/errors.h"
#include "store_testing.h"

namespace rwa::datasets {
namespace {
using io::expect_error;
using io::TempFolder;

constexpr std::size_t kMiB = std::size_t{1} << 20;
constexpr int kLongest = 300;

std::vector<formats::Sequence> made(std::int64_t count) {
  std::vector<formats::Sequence> all;
  for (std::int64_t i = 0; i < count; ++i) all.push_back(made_sequence(i, kLongest));
  return all;
}

void append_all(const std::vector<formats::Sequence>& sequences, Store& store) {
  for (const formats::Sequence& sequence : sequences) store.append(sequence);
  store.close();
}

void expect_all(const std::vector<formats::Sequence>& sequences, const Store& store) {
  ASSERT_EQ(store.size(), static_cast<std::int64_t>(sequences.size()));
  formats::Sequence found;
  for (std::int64_t i = store.size() - 1; i >= 0; --i) {
    store.read(i, found);
    ASSERT_TRUE(same(found, sequences[static_cast<std::size_t>(i)])) << i;
  }
}

RC_GTEST_PROP(Record, ASequenceIsTheSameAfterwards, ()) {
  using namespace rc;
  const auto numbers = gen::container<std::vector<float>>(
      gen::oneOf(gen::arbitrary<float>(), gen::just(std::numeric_limits<float>::quiet_NaN())));
  const auto words = gen::container<std::vector<std::int32_t>>(
      gen::inRange(0, std::numeric_limits<std::int32_t>::max()));
  formats::Sequence sequence;
  sequence.id = *gen::arbitrary<std::string>();
  sequence.line = *gen::inRange<std::int64_t>(0, std::numeric_limits<std::int64_t>::max());
  sequence.steps = *gen::inRange(0, std::numeric_limits<int>::max());
  sequence.x = *numbers;
  sequence.symbols = *words;
  sequence.labels = *words;
  sequence.values = *numbers;
  std::vector<std::byte> record(3);
  pack(sequence, record);
  formats::Sequence found = made_sequence(1, 10);
  unpack(record, found);
  RC_ASSERT(same(found, sequence));
}

// A character of a text takes one byte.
TEST(Record, SmallNumbersTakeAByte) {
  formats::Sequence sequence;
  sequence.steps = 100;
  sequence.symbols.assign(100, 127);
  std::vector<std::byte> record;
  pack(sequence, record);
  EXPECT_EQ(record.size(), 107);
}

TEST(Store, KeepsLittleInMemory) {
  Store store("/nowhere");
  const auto sequences = made(1000);
  append_all(sequences, store);
  EXPECT_TRUE(store.in_memory());
  expect_all(sequences, store);
}

TEST(Store, KeepsMuchInAFileWithoutAName) {
  const TempFolder folder;
  const auto sequences = made(5000);
  Store store(folder.path(), kMiB);
  append_all(sequences, store);
  EXPECT_FALSE(store.in_memory());
  EXPECT_EQ(folder.count(), 0);
  expect_all(sequences, store);
}

TEST(Store, HasTheSameBlocksWhereverItLies) {
  const TempFolder folder;
  const auto sequences = made(5000);
  Store memory(folder.path()), disk(folder.path(), kMiB), none(folder.path(), 0);
  for (Store* store : {&memory, &disk, &none}) append_all(sequences, *store);
  ASSERT_GT(memory.blocks(), 4);
  EXPECT_EQ(memory.first(0), 0);
  EXPECT_EQ(memory.first(memory.blocks()), 5000);
  for (std::int64_t block = 0; block < memory.blocks(); ++block) {
    const std::int64_t first = memory.first(block);
    EXPECT_EQ(memory.block_of(first), block);
    EXPECT_EQ(memory.block_of(memory.first(block + 1) - 1), block);
    EXPECT_TRUE(block + 1 == memory.blocks() || memory.bytes(block) >= Store::kBlock) << block;
    for (const Store* store : {&disk, &none}) {
      EXPECT_EQ(store->first(block), first);
      EXPECT_EQ(store->bytes(block), memory.bytes(block));
    }
  }
}

TEST(Store, MayBeEmpty) {
  Store store("/nowhere", 0);
  store.close();
  EXPECT_EQ(store.size(), 0);
  EXPECT_EQ(store.blocks(), 0);
  EXPECT_EQ(store.first(0), 0);
  EXPECT_TRUE(store.in_memory());
}

TEST(Store, ALongSequenceIsABlock) {
  const TempFolder folder;
  std::vector<formats::Sequence> sequences = made(3);
  sequences[1].steps = 1'000'000;
  sequences[1].x.assign(2'000'000, 0.5F);
  sequences[1].symbols.assign(1'000'000, 200);
  Store store(folder.path(), kMiB);
  append_all(sequences, store);
  EXPECT_EQ(store.blocks(), 2);
  EXPECT_EQ(store.first(1), 2);
  expect_all(sequences, store);
}

TEST(Store, IsReadByManyAtATime) {
  const TempFolder folder;
  const auto sequences = made(3000);
  Store store(folder.path(), kMiB / 2);
  append_all(sequences, store);
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (unsigned thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      const Random random(thread, Purpose::kTrainDraws);
      formats::Sequence found;
      for (std::uint64_t i = 0; i < 500; ++i) {
        const std::uint64_t number = random.below(i, sequences.size());
        store.read(static_cast<std::int64_t>(number), found);
        if (!same(found, sequences[number])) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

// The folder may be created later, when the run begins.
TEST(Store, GoesIntoTheFolderAboveIfItsOwnIsNotThere) {
  const io::TempFolder folder;
  Store store(folder.path() / "runs/one", 0);
  append_all(made(1), store);
  EXPECT_EQ(folder.count(), 0);
}

TEST(Store, SaysThatItsFolderCannotBeWrittenTo) {
  Store store("/proc/runs/one", 0);
  expect_error<ResourceError>([&] { append_all(made(1), store); }, {"/proc", "cannot create"});
}

// A limit on the file size acts like a full disk.
TEST(Store, SaysWhereTheRoomEnded) {
  const TempFolder folder;
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{.rlim_cur = kMiB + 5, .rlim_max = before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  Store store(folder.path(), kMiB / 2);
  expect_error<ResourceError>([&] { append_all(made(5000), store); },
                              {folder.path().string(), "after 1048581 bytes", "File too large"});
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
}

}  // namespace
}  // namespace rwa::datasets

// tests/base/shards_test.cc: shards cover every batch without gap or overlap, and threads take
// whole subtrees.
#include "base/shards.h"

#include <array>

#include <gtest/gtest.h>

namespace rwa {
namespace {

TEST(Shards, CoverEveryBatchOnceInOrder) {
  for (int batch = 1; batch <= 200; ++batch) {
    int next = 0;
    for (int shard = 0; shard < kShards; ++shard) {
      const Range rows = Cut{.whole = batch}.rows(shard);
      ASSERT_EQ(rows.begin, next) << "batch " << batch << ", shard " << shard;
      // Even to within one row.
      ASSERT_GE(rows.size(), batch / kShards);
      ASSERT_LE(rows.size(), (batch + kShards - 1) / kShards);
      next = rows.end;
    }
    ASSERT_EQ(next, batch);
  }
}

TEST(Shards, OfTheLargestBatchDoNotOverflow) {
  constexpr int kBatch = 2147483647;
  constexpr Cut kCut{.whole = kBatch};
  EXPECT_EQ(kCut.rows(kShards - 1).end, kBatch);
  EXPECT_GT(kCut.rows(kShards - 1).begin, 0);
}

// A node of the binary tree over the shards.
bool is_subtree(const Range& range) {
  const int size = range.size();
  return (size & (size - 1)) == 0 && range.begin % size == 0;
}

TEST(Shards, WorkersTakeWholeSubtrees) {
  for (int workers = 1; workers <= 12; ++workers) {
    std::array<int, kShards> taken{};
    for (int worker = 0; worker < workers; ++worker) {
      const Range range = worker_shards(workers, worker);
      ASSERT_GE(range.begin, 0);
      ASSERT_LE(range.end, kShards);
      ASSERT_GE(range.size(), 0);
      if (range.size() > 0) {
        EXPECT_TRUE(is_subtree(range))
            << workers << " workers: [" << range.begin << ", " << range.end << ")";
      }
      for (int s = range.begin; s < range.end; ++s) ++taken[static_cast<std::size_t>(s)];
    }
    for (const int count : taken) EXPECT_EQ(count, 1) << workers << " workers";
  }
}

TEST(Shards, UpToEightWorkersAllHaveWork) {
  for (int workers = 1; workers <= kShards; ++workers) {
    for (int worker = 0; worker < workers; ++worker) {
      EXPECT_GT(worker_shards(workers, worker).size(), 0) << worker << " of " << workers;
    }
  }
}

// Each rank holds the shards after those of the previous rank, split as in the whole batch.
TEST(Shards, OfRanksAreThoseOfTheWholeBatch) {
  for (const int batch : {1, 3, 8, 37, 200}) {
    for (int ranks = 1; ranks <= 12; ++ranks) {
      int next = 0;
      for (int rank = 0; rank < ranks; ++rank) {
        const Cut part = rank_cut(batch, ranks, rank);
        ASSERT_EQ(part.first(), next) << "rank " << rank << " of " << ranks;
        const Cut whole{.whole = batch, .shards = part.shards, .here = {0, part.shards}};
        for (int shard = 0; shard < part.count(); ++shard) {
          EXPECT_EQ(part.first() + part.rows(shard).begin,
                    whole.rows(part.here.begin + shard).begin);
        }
        EXPECT_LE(part.count(), kShards);
        EXPECT_EQ(part.shards, ranks <= kShards ? kShards : kShards * ranks);
        next += part.size();
      }
      EXPECT_EQ(next, batch);
    }
  }
}

TEST(Shards, SumFollowsTheTree) {
  // Adding 1 to 2^24 is lost in float, so the sum reveals the order of additions.
  constexpr float kBig = 0x1p24F;
  constexpr std::array<float, kShards> kOneByOneLosesSeven = {kBig, 1, 1, 1, 1, 1, 1, 1};
  EXPECT_EQ(tree_sum<float>(kOneByOneLosesSeven), kBig + 6);
  constexpr std::array<float, kShards> kNeighboursCancel = {kBig, -kBig, 1};
  EXPECT_EQ(tree_sum<float>(kNeighboursCancel), 1);
}

}  // namespace
}  // namespace rwa

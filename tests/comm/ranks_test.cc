// tests/comm/ranks_test.cc: sums in the order of the tree with the same bits on all ranks, and
// texts and bytes that reach all ranks, for any number of ranks.
#include "comm/ranks.h"

#include <gtest/gtest.h>

#include "base/shards.h"
#include "support/cases.h"
#include "support/thread_ranks.h"

namespace rwa {
namespace {

using cases::Draw;
using cases::run_ranks;

// The sum of ranks first … first + count - 1, by the definition of the tree.
template <class T>
T by_hand(const std::vector<std::vector<T>>& values, std::size_t i, int first, int count) {
  if (count == 1) return values[static_cast<std::size_t>(first)][i];
  const int left = (count + 1) / 2;
  return by_hand(values, i, first, left) + by_hand(values, i, first + left, count - left);
}

template <class T>
void expect_sums(int size, std::size_t count) {
  Draw draw(count + static_cast<std::size_t>(size));
  std::vector<std::vector<T>> values(static_cast<std::size_t>(size));
  for (auto& of_rank : values) {
    for (const float value : draw.numbers(count, 1.0F)) of_rank.push_back(T{1} / T{value});
  }
  std::vector<T> expected(count);
  for (std::size_t i = 0; i < count; ++i) expected[i] = by_hand(values, i, 0, size);
  run_ranks(size, [&](Link& link) {
    Ranks ranks(&link);
    std::vector<T> sum = values[static_cast<std::size_t>(ranks.rank())];
    ranks.sum(std::span<T>(sum));
    EXPECT_TRUE(cases::same_bits(sum, expected))
        << "rank " << ranks.rank() << " of " << size << ", " << count << " numbers";
  });
}

TEST(Ranks, SumInTheOrderOfTheTree) {
  for (int size = 1; size <= 17; ++size) {
    // Short, at the limit, and long enough to be summed by halves; sizes that do not divide evenly.
    for (const std::size_t count :
         {std::size_t{1}, std::size_t{13}, std::size_t{2049}, std::size_t{5003}}) {
      expect_sums<float>(size, count);
      expect_sums<double>(size, count);
    }
  }
}

// The tree of up to 8 ranks is the upper part of the tree of the shards.
TEST(Ranks, SumsOfTheirShardsAreThoseOfOneProcess) {
  Draw draw(1);
  const std::vector<float> leaves = draw.numbers(kShards, 1.0F);
  const float expected = tree_sum(std::span<const float>(leaves));
  for (int size = 1; size <= kShards; ++size) {
    run_ranks(size, [&](Link& link) {
      Ranks ranks(&link);
      const Range mine = worker_shards(size, ranks.rank());
      float sum = tree_sum(std::span(leaves).subspan(static_cast<std::size_t>(mine.begin),
                                                     static_cast<std::size_t>(mine.size())));
      ranks.sum(std::span(&sum, 1));
      EXPECT_EQ(sum, expected) << size << " ranks";
    });
  }
}

TEST(Ranks, HearWhatEverybodySays) {
  for (int size = 1; size <= 11; ++size) {
    std::vector<std::string> expected;
    for (int rank = 0; rank < size; ++rank) {
      expected.push_back(std::string(static_cast<std::size_t>(rank % 3 * 100), 'x') + "!");
    }
    expected.front().clear();
    run_ranks(size, [&](Link& link) {
      Ranks ranks(&link);
      EXPECT_EQ(ranks.gather(expected[static_cast<std::size_t>(ranks.rank())]), expected);
      int number = ranks.rank() == 0 ? 42 : 0;
      ranks.broadcast(std::as_writable_bytes(std::span(&number, 1)));
      EXPECT_EQ(number, 42) << "rank " << ranks.rank() << " of " << size;
    });
  }
}

TEST(Ranks, OneAloneNeedsNoLink) {
  Ranks ranks;
  std::vector<float> values = {1, 2};
  ranks.sum(std::span<float>(values));
  EXPECT_EQ(values, (std::vector<float>{1, 2}));
  EXPECT_EQ(ranks.gather("a"), std::vector<std::string>{"a"});
  EXPECT_TRUE(ranks.alone());
}

}  // namespace
}  // namespace rwa

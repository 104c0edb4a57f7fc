// tests/comm/group_test.cc: every rank is in one group, groups have nearly equal sizes, and sums
// and texts stay within a group.
#include "comm/group.h"

#include <gtest/gtest.h>

#include <map>
#include <mutex>

#include "comm/ranks.h"
#include "support/thread_ranks.h"

namespace rwa {
namespace {

using cases::run_ranks;

TEST(RankGroup, CutsRanksIntoConsecutiveParts) {
  for (int size = 1; size <= 9; ++size) {
    for (int groups = 1; groups <= size; ++groups) {
      std::mutex mutex;
      std::map<int, int> group_of;  // [rank]
      std::map<int, int> members;   // [group]
      run_ranks(size, [&](Link& link) {
        const RankGroup group(link, groups);
        const std::lock_guard lock(mutex);
        group_of[link.rank()] = group.number();
        ++members[group.number()];
        EXPECT_GE(group.size(), size / groups);
        EXPECT_LE(group.size(), (size + groups - 1) / groups);
        EXPECT_LT(group.rank(), group.size());
      });
      EXPECT_EQ(members.size(), static_cast<std::size_t>(groups));
      EXPECT_EQ(members.rbegin()->first, groups - 1);
      for (int rank = 1; rank < size; ++rank) EXPECT_GE(group_of[rank], group_of[rank - 1]);
    }
  }
}

TEST(RankGroup, SumsAmongItsOwn) {
  for (int groups = 1; groups <= 7; ++groups) {
    run_ranks(7, [&](Link& link) {
      RankGroup group(link, groups);
      Ranks ranks(&group);
      const int first = link.rank() - group.rank();
      double sum = link.rank();
      double expected = 0;
      std::vector<std::string> names;
      for (int rank = first; rank < first + group.size(); ++rank) {
        expected += rank;
        names.push_back(std::to_string(rank));
      }
      ranks.sum(std::span(&sum, 1));
      EXPECT_EQ(sum, expected) << "rank " << link.rank() << " in " << groups << " groups";
      EXPECT_EQ(ranks.gather(std::to_string(link.rank())), names);
    });
  }
}

}  // namespace
}  // namespace rwa

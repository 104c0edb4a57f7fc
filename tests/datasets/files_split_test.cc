// tests/datasets/files_split_test.cc: the validation set has a fair share of every class.
#include <algorithm>
#include <limits>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "datasets/files_split.h"
#include "io/io_testing.h"
#include "rwa/errors.h"

namespace rwa::datasets {
namespace {
using io::expect_error;

std::vector<std::size_t> subsets_of(StratifiedSplit split, int sequences, std::int32_t label = 0) {
  std::vector<std::size_t> subsets;
  for (int i = 0; i < sequences; ++i) subsets.push_back(split.subset_of(label));
  return subsets;
}

RC_GTEST_PROP(StratifiedSplit, GivesEveryFoldOneOfAsManyInARow, ()) {
  const int folds = *rc::gen::inRange(3, 30);
  const int rounds = *rc::gen::inRange(1, 20);
  const auto subsets = subsets_of({{.folds = folds}, *rc::gen::arbitrary<std::uint64_t>()},
                                  folds * rounds, *rc::gen::inRange(0, 100));
  for (int round = 0; round < rounds; ++round) {
    std::vector<std::size_t> some(subsets.begin() + round * folds,
                                  subsets.begin() + (round + 1) * folds);
    std::ranges::sort(some);
    for (int fold = 0; fold < folds; ++fold) {
      RC_ASSERT(some[static_cast<std::size_t>(fold)] == static_cast<std::size_t>(fold));
    }
  }
}

TEST(StratifiedSplit, PutsOneInAsManyAside) {
  for (const auto& [share, every] : {std::pair(0.5, 2), {0.34, 3}, {0.2, 5}, {0.01, 100}}) {
    const StratifiedSplit split({.split = share}, 3);
    EXPECT_EQ(split.subsets(), static_cast<std::size_t>(every));
    const auto subsets = subsets_of(split, 10 * every);
    for (std::size_t i = 0; i < split.subsets(); ++i) {
      EXPECT_EQ(std::ranges::count(subsets, i), 10) << share;
    }
  }
}

TEST(StratifiedSplit, TrainsOnTheFirstOfEveryClass) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    StratifiedSplit split({.split = 0.5}, seed);
    for (std::int32_t label = 0; label < 5; ++label) EXPECT_EQ(split.subset_of(label), 1);
    for (std::int32_t label = 0; label < 5; ++label) EXPECT_EQ(split.subset_of(label), 0);
  }
}

TEST(StratifiedSplit, DividesClassesEachForItself) {
  StratifiedSplit mixed({.split = 0.2}, 3), alone({.split = 0.2}, 3);
  std::vector<std::size_t> some;
  for (int i = 0; i < 100; ++i) {
    some.push_back(mixed.subset_of(7));
    for (int k = 0; k < i % 3; ++k) mixed.subset_of(2);
  }
  EXPECT_EQ(some, subsets_of(alone, 100, 7));
  EXPECT_NE(some, subsets_of(alone, 100, 2));
}

TEST(StratifiedSplit, DependsOnTheSeedOfTheSplit) {
  const auto first = subsets_of({{.folds = 5}, 1}, 100);
  EXPECT_EQ(subsets_of({{.folds = 5}, 1}, 100), first);
  EXPECT_NE(subsets_of({{.folds = 5}, 2}, 100), first);
  EXPECT_EQ(subsets_of({{.folds = 5, .split_seed = 1}, 2}, 100), first);
}

TEST(StratifiedSplit, LeavesWholeWhatHasItsOwnValidation) {
  EXPECT_EQ(StratifiedSplit({.valid = {"v"}, .split = 0.2}, 1).subsets(), 1);
  EXPECT_EQ(StratifiedSplit({.split = 0}, 1).subsets(), 1);
  EXPECT_EQ(subsets_of({{.split = 0}, 1}, 5), std::vector<std::size_t>(5, 0));
}

TEST(StratifiedSplit, RefusesWhatCannotBe) {
  const auto refuse = [](const FilesTask& task, std::initializer_list<std::string_view> subsets) {
    expect_error<ConfigError>([&] { StratifiedSplit(task, 1); }, subsets);
  };
  refuse({.split = -0.1}, {"split is -0.1", "0.01 to 0.5"});
  refuse({.split = 0.9}, {"split is 0.9"});
  refuse({.split = std::numeric_limits<double>::quiet_NaN()}, {"split is nan"});
  refuse({.folds = 1}, {"--folds is 1, expected 0, or 2 to 1000"});
  refuse({.folds = 5, .fold = 6}, {"fold is 6, expected 0 to 5"});
  refuse({.valid = {"v"}, .folds = 5}, {"--folds cannot be combined with --valid"});
}

}  // namespace
}  // namespace rwa::datasets

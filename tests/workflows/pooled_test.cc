// tests/workflows/pooled_test.cc: the scores of several folds together.
#include "workflows/pooled.h"

#include <gtest/gtest.h>

namespace rwa::workflows {
namespace {

Scores fold(std::vector<std::vector<std::int64_t>> confusion, double loss) {
  Scores scores{.sequences = 10, .answers = 10, .loss = loss, .unit = "bits"};
  const auto n = [&](std::size_t truth, std::size_t said) {
    return static_cast<double>(confusion[truth][said]);
  };
  for (std::size_t i = 0; i < 2; ++i) {
    const std::size_t other = 1 - i;
    scores.labels.push_back({.name = i == 0 ? "no" : "yes",
                             .support = confusion[i][0] + confusion[i][1],
                             .predicted = confusion[0][i] + confusion[1][i],
                             .precision = n(i, i) / (n(i, i) + n(other, i)),
                             .recall = n(i, i) / (n(i, i) + n(i, other))});
  }
  scores.confusion = std::move(confusion);
  scores.calibration = {{0, 0.5, 2, 0.25, 0.5}, {0.5, 1, 8, 0.75, 1}};
  scores.hardest = {{.id = "a", .loss = 2 * loss}, {.id = "b", .loss = loss}};
  return scores;
}

TEST(Pooled, OnePartKeepsEverything) {
  const Scores one = fold({{4, 1}, {1, 4}}, 1);
  EXPECT_EQ(pooled({{nullptr, nullptr, &one}}).confusion, one.confusion);
  EXPECT_EQ(pooled({{nullptr, nullptr, &one}}).loss, 1);
}

TEST(Pooled, CountsAddUp) {
  const Scores one = fold({{4, 1}, {1, 4}}, 1), two = fold({{2, 4}, {0, 4}}, 3);
  const std::vector<HeldOutPart> parts = {{nullptr, nullptr, &one}, {nullptr, nullptr, &two}};
  const Scores all = pooled(parts);
  EXPECT_EQ(all.sequences, 20);
  EXPECT_EQ(all.loss, 2);
  EXPECT_EQ(all.confusion, (std::vector<std::vector<std::int64_t>>{{6, 5}, {1, 8}}));
  const LabelScore& no = all.labels[0];
  EXPECT_EQ(no.support, 11);
  EXPECT_EQ(no.predicted, 7);
  EXPECT_DOUBLE_EQ(no.precision, 6.0 / 7);
  EXPECT_DOUBLE_EQ(no.recall, 6.0 / 11);
  EXPECT_DOUBLE_EQ(no.f1, 12.0 / 18);
  EXPECT_EQ(all.calibration[1].answers, 16);
  EXPECT_DOUBLE_EQ(all.calibration[1].confidence, 0.75);
  EXPECT_DOUBLE_EQ(all.calibration[0].from, 0);
  EXPECT_DOUBLE_EQ(all.calibration[0].to, 0.5);
}

TEST(Pooled, TheHardestOfAllPartsComeFirst) {
  const Scores one = fold({{4, 1}, {1, 4}}, 1), two = fold({{2, 4}, {0, 4}}, 1.5);
  const std::vector<HeldOutPart> parts = {{nullptr, nullptr, &one}, {nullptr, nullptr, &two}};
  const auto hard = hardest_of(parts);
  ASSERT_EQ(hard.size(), 4u);
  EXPECT_EQ(hard[0].part, &parts[1]);
  EXPECT_EQ(hard[0].example->loss, 3);
  EXPECT_EQ(hard[1].part, &parts[0]);
  EXPECT_EQ(pooled(parts).hardest[3].loss, 1);
}

TEST(Pooled, ErrorsAreMeansAndPointsAreAll) {
  Scores one{.sequences = 3, .unit = "mse"}, two = one;
  one.numbers = {{"height", 2, 1, 0.5, {{1, 2}}}};
  two.numbers = {{"height", 4, 3, 0.25, {{3, 4}, {5, 6}}}};
  const Scores all = pooled({{nullptr, nullptr, &one}, {nullptr, nullptr, &two}});
  EXPECT_DOUBLE_EQ(all.numbers[0].rmse, 3);
  EXPECT_DOUBLE_EQ(all.numbers[0].mae, 2);
  EXPECT_DOUBLE_EQ(*all.numbers[0].r2, 0.375);
  EXPECT_EQ(all.numbers[0].shown.size(), 3u);
}

}  // namespace
}  // namespace rwa::workflows

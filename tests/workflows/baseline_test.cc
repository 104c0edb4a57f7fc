// tests/workflows/baseline_test.cc: tests that the baseline is fitted to the training data and
// scored on other data.
#include "workflows/baseline.h"

#include <cmath>

#include <gtest/gtest.h>

#include "datasets/files_testing.h"

namespace rwa::workflows {
namespace {

using datasets::MemoryFiles;
using datasets::MemorySequence;
using datasets::Split;
using formats::Target;

Baseline baseline_of(Target target, std::vector<MemorySequence> train,
                     std::vector<MemorySequence> test) {
  const MemoryFiles given{.schema = datasets::one_feature(target),
                          .files = {{"train", std::move(train)}, {"test", std::move(test)}}};
  return score_baseline(*given.open({.train = {"train"}, .test = {"test"}, .split = 0}),
                        Split::kTest);
}

TEST(Baseline, IsTheMajorityClassOfTraining) {
  const Baseline found = baseline_of(
      Target::kClass,
      {{.x = {1}, .labels = {"a"}}, {.x = {1}, .labels = {"a"}}, {.x = {1}, .labels = {"b"}}},
      {{.x = {1}, .labels = {"a"}},
       {.x = {1}, .labels = {"b"}},
       {.x = {1}, .labels = {"b"}},
       {.x = {1}, .labels = {"b"}}});
  EXPECT_EQ(found.name, "majority class");
  EXPECT_EQ(found.scores.accuracy, 0.25);  // the majority of the test set is another
  // Frequencies with one added to each count: 3/5 and 2/5.
  EXPECT_NEAR(found.scores.loss, -(std::log2(0.6) + 3 * std::log2(0.4)) / 4, 1e-6);
}

TEST(Baseline, IsTheMeanOfTraining) {
  const Baseline found =
      baseline_of(Target::kNumbers, {{.x = {1}, .values = {10}}, {.x = {1}, .values = {20}}},
                  {{.x = {1}, .values = {18}}, {.x = {1}, .values = {12}}});
  EXPECT_EQ(found.name, "mean");
  EXPECT_NEAR(found.scores.numbers.front().rmse, 3, 1e-5);
}

TEST(Baseline, OfAForecastIsTheLastValue) {
  const Baseline found =
      baseline_of(Target::kNone, {{.x = {0, 5, 1, 3}}}, {{.x = {100, 101, 104}}});
  EXPECT_EQ(found.name, "last value");
  EXPECT_NEAR(found.scores.numbers.front().mae, 2, 1e-4);
  EXPECT_NEAR(found.scores.numbers.front().rmse, std::sqrt(5), 1e-4);
}

}  // namespace
}  // namespace rwa::workflows

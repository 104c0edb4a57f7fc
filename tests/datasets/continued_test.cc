// tests/datasets/continued_test.cc: series of test files go on where those of the training files
// end.
#include "datasets/continued.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace rwa::datasets {
namespace {

using formats::Sequence;

// Steps with the numbers and times `from` to `to` - 1.
Sequence series(std::string id, int from, int to, bool has_times = true) {
  Sequence made;
  made.id = std::move(id);
  made.steps = to - from;
  for (int t = from; t < to; ++t) {
    made.x.push_back(static_cast<float>(t));
    if (has_times) made.times.push_back(t);
  }
  return made;
}

TEST(Continued, NewRowsHaveTheTrainingStepsBeforeThem) {
  const std::vector<Sequence> trained = {series("a", 0, 10), series("b", 0, 20)};
  std::vector<Sequence> others = {series("b", 20, 23)};
  EXPECT_EQ(continue_series(trained, others), (std::vector<int>{20}));
  EXPECT_EQ(others[0].steps, 23);
  EXPECT_EQ(others[0].x, series("b", 0, 23).x);
  EXPECT_EQ(others[0].times, series("b", 0, 23).times);
}

TEST(Continued, LongerSeriesBeginAfterTheTrainingSteps) {
  for (const bool has_times : {true, false}) {
    const std::vector<Sequence> trained = {series("a", 0, 10, has_times)};
    std::vector<Sequence> others = {series("a", 0, 15, has_times)};
    EXPECT_EQ(continue_series(trained, others), (std::vector<int>{10}));
    EXPECT_EQ(others[0].steps, 15);
  }
}

TEST(Continued, OtherSeriesStayAsTheyAre) {
  const std::vector<Sequence> trained = {series("a", 0, 10), series("b", 0, 10, false)};
  std::vector<Sequence> others = {series("c", 10, 15), series("a", 2, 8), series("b", 1, 15, false),
                                  series("b", 0, 10, false)};
  EXPECT_EQ(continue_series(trained, others), (std::vector<int>{0, 0, 0, 0}));
  for (const Sequence& one : others) EXPECT_LE(one.steps, 14);
}

}  // namespace
}  // namespace rwa::datasets

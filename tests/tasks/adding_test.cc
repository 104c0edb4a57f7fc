// tests/tasks/adding_test.cc: the marks, values and sums of the adding problem.
#include <array>

#include "tasks/tasks_testing.h"

namespace rwa::tasks {
namespace {

constexpr int kSamples = 20'000;

// The marked steps of each sequence, and the sum of their values.
struct Marked {
  std::vector<int> steps;
  float sum = 0;
};
Marked read(const datasets::Batch& batch, const datasets::Dataset& data, std::size_t b,
            int indicator) {
  Marked marked;
  for (int t = 0; t < batch.steps; ++t) {
    if (input(batch, data, t, b, indicator) == 0) continue;
    EXPECT_EQ(input(batch, data, t, b, indicator), 1);
    marked.steps.push_back(t);
    marked.sum += input(batch, data, t, b, 1 - indicator);
  }
  return marked;
}

TEST(Adding, TheTargetIsTheSumOfTheTwoMarkedValues) {
  for (const auto order : {AddingOrder::kIndicatorValue, AddingOrder::kValueIndicator}) {
    const auto data = open_synthetic(AddingTask{.steps = 100, .order = order});
    const datasets::Batch batch = fill_first(*data, datasets::Split::kTest, 500);
    EXPECT_TRUE(batch.classes.empty());
    for (std::size_t b = 0; b < batch.lengths.size(); ++b) {
      EXPECT_EQ(batch.lengths[b], 100);
      const Marked marked = read(batch, *data, b, order == AddingOrder::kIndicatorValue ? 0 : 1);
      EXPECT_EQ(marked.steps.size(), 2U);
      EXPECT_EQ(batch.values.at(b), marked.sum);
    }
  }
}

TEST(Adding, EveryPairOfStepsIsMarkedAsOften) {
  const auto data = open_synthetic(AddingTask{.steps = 5});
  const datasets::Batch batch = fill_first(*data, datasets::Split::kTrain, kSamples);
  std::array<std::array<int, 5>, 5> seen{};
  for (std::size_t b = 0; b < batch.lengths.size(); ++b) {
    const Marked marked = read(batch, *data, b, 0);
    ++seen.at(marked.steps.at(0)).at(marked.steps.at(1));
  }
  for (std::size_t first = 0; first < 5; ++first) {
    for (std::size_t second = first + 1; second < 5; ++second) {
      expect_share(seen[first][second], kSamples, 0.1, "a pair");
    }
  }
}

// The loss of the baseline, which always predicts 1, is the variance of the target.
TEST(Adding, TargetsAreSpreadAsTheNaiveLossSays) {
  const auto data = open_synthetic(AddingTask{.steps = 10});
  const datasets::Batch batch = fill_first(*data, datasets::Split::kTrain, kSamples);
  double loss = 0;
  for (const float sum : batch.values) loss += (sum - 1) * (sum - 1) / kSamples;
  EXPECT_DOUBLE_EQ(data->naive().loss, 1.0 / 6);
  EXPECT_NEAR(loss, data->naive().loss, 4 * std::sqrt(7.0 / 180 / kSamples));
  EXPECT_FALSE(data->naive().accuracy.has_value());
}

TEST(Adding, ValuesAreUniform) {
  const auto data = open_synthetic(AddingTask{.steps = 10});
  const datasets::Batch batch = fill_first(*data, datasets::Split::kTrain, kSamples / 10);
  std::array<int, 10> seen{};
  for (std::size_t b = 0; b < batch.lengths.size(); ++b) {
    for (int t = 0; t < 10; ++t) ++seen.at(static_cast<int>(input(batch, *data, t, b, 1) * 10));
  }
  for (const int count : seen) expect_share(count, kSamples, 0.1, "a tenth of 0…1");
}

TEST(Adding, TheOrderOnlySwapsTheFeatures) {
  const auto ours = open_synthetic(AddingTask{.order = AddingOrder::kIndicatorValue});
  const auto theirs = open_synthetic(AddingTask{.order = AddingOrder::kValueIndicator});
  const datasets::Batch a = fill_first(*ours, datasets::Split::kTrain, 20);
  const datasets::Batch b = fill_first(*theirs, datasets::Split::kTrain, 20);
  EXPECT_EQ(a.values, b.values);
  for (std::size_t i = 0; i < a.x.size(); ++i) EXPECT_EQ(a.x[i], b.x[i ^ 1]);
}

TEST(Adding, ANetworkForIt) {
  const auto data = open_synthetic(AddingTask{.steps = 1000});
  EXPECT_EQ(data->shape().inputs, 2);
  EXPECT_EQ(data->shape().outputs, 1);
  EXPECT_EQ(data->shape().readout, Readout::kLast);
  EXPECT_EQ(data->shape().loss, Loss::kSquaredError);
  EXPECT_EQ(data->shape().longest, 1000);
  EXPECT_EQ(data->shape().mean_length, 1000);
}

}  // namespace
}  // namespace rwa::tasks

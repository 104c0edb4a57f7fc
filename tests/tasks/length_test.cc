// tests/tasks/length_test.cc: the lengths, labels and values of the length problem.
#include <array>

#include "tasks/tasks_testing.h"

namespace rwa::tasks {
namespace {

TEST(Length, TheLabelSaysLongerThanTheThreshold) {
  const auto data = open_synthetic(LengthTask{.longest = 10, .threshold = 5});
  const datasets::Batch batch = fill_first(*data, datasets::Split::kTrain, 1000);
  for (std::size_t b = 0; b < batch.lengths.size(); ++b) {
    EXPECT_EQ(batch.values.at(b), batch.lengths[b] >= 6 ? 1.0F : 0.0F) << batch.lengths[b];
  }
  EXPECT_TRUE(batch.classes.empty());
}

TEST(Length, LengthsAreEvenFromZeroToTheLongest) {
  constexpr int kSamples = 20'000;
  const auto data = open_synthetic(LengthTask{.longest = 10, .threshold = 5});
  std::array<int, 11> seen{};
  for (const int length : fill_first(*data, datasets::Split::kTest, 10'000).lengths)
    ++seen.at(length);
  for (const int length : fill_first(*data, datasets::Split::kTrain, 10'000).lengths)
    ++seen.at(length);
  for (const int count : seen) expect_share(count, kSamples, 1.0 / 11, "a length");
}

TEST(Length, LabelsAreBalanced) {
  const auto data = open_synthetic(LengthTask{});
  int longer = 0;
  for (const float label : fill_first(*data, datasets::Split::kTest, 10'000).values) {
    longer += label == 1 ? 1 : 0;
  }
  expect_share(longer, 10'000, 500.0 / 1001, "longer");
}

struct Moments {
  double mean = 0, variance = 0, neighbours = 0;  // neighbours: mean product of adjacent values
  int count = 0;
};

Moments moments_of(Values values) {
  const auto data = open_synthetic(LengthTask{.longest = 1000, .threshold = 500, .values = values});
  const datasets::Batch batch = fill_first(*data, datasets::Split::kTrain, 200);
  Moments m;
  double previous = 0;
  for (std::size_t b = 0; b < batch.lengths.size(); ++b) {
    for (int t = 0; t < batch.steps; ++t) {
      const double v = input(batch, *data, t, b, 0);
      if (t >= batch.lengths[b]) {
        EXPECT_EQ(v, 0);
        continue;
      }
      m.mean += v;
      m.variance += v * v;
      m.neighbours += v * previous;
      previous = v;
      ++m.count;
    }
  }
  m.mean /= m.count;
  m.variance = m.variance / m.count - m.mean * m.mean;
  m.neighbours = m.neighbours / m.count - m.mean * m.mean;
  return m;
}

TEST(Length, NormalValues) {
  const Moments m = moments_of(Values::kNormal);
  EXPECT_GT(m.count, 50'000);
  EXPECT_NEAR(m.mean, 0, 4 / std::sqrt(m.count));
  EXPECT_NEAR(m.variance, 1, 4 * std::sqrt(2.0 / m.count));
  EXPECT_NEAR(m.neighbours, 0, 4 / std::sqrt(m.count));
}

TEST(Length, UniformValues) {
  const Moments m = moments_of(Values::kUniform);
  EXPECT_NEAR(m.mean, 0.5, 4 * std::sqrt(1.0 / 12 / m.count));
  EXPECT_NEAR(m.variance, 1.0 / 12, 4 * std::sqrt(1.0 / 180 / m.count));
  EXPECT_NEAR(m.neighbours, 0, 4 * std::sqrt(1.0 / 36 / m.count));
}

// Otherwise a network could infer the length from it.
TEST(Length, TheFirstValueSaysNothingOfTheLength) {
  const auto data =
      open_synthetic(LengthTask{.longest = 10, .threshold = 5, .values = Values::kUniform});
  const datasets::Batch batch = fill_first(*data, datasets::Split::kTrain, 20'000);
  int longer = 0;
  int high = 0;
  for (std::size_t b = 0; b < batch.lengths.size(); ++b) {
    if (batch.values[b] == 0) continue;
    ++longer;
    high += input(batch, *data, 0, b, 0) > 0.5F ? 1 : 0;
  }
  expect_share(high, longer, 0.5, "a high value first");
}

TEST(Length, ABatchIsAsLongAsItsLongestSequence) {
  const auto data = open_synthetic(LengthTask{.longest = 10, .threshold = 5});
  for (std::int64_t i = 0; i < 100; ++i) {
    const datasets::Batch batch = fill(*data, datasets::Split::kTrain, {i});
    EXPECT_EQ(batch.steps, batch.lengths.at(0));
    EXPECT_EQ(batch.x.size(), batch.steps);
  }
}

TEST(Length, ANetworkForIt) {
  const auto data = open_synthetic(LengthTask{});
  EXPECT_EQ(data->shape().inputs, 1);
  EXPECT_EQ(data->shape().outputs, 1);
  EXPECT_EQ(data->shape().readout, Readout::kLast);
  EXPECT_EQ(data->shape().loss, Loss::kSigmoid);
  EXPECT_EQ(data->shape().longest, 1000);
  EXPECT_EQ(data->shape().mean_length, 500);
  EXPECT_EQ(data->naive().loss, 1);
  EXPECT_EQ(data->naive().accuracy, 0.5);
}

}  // namespace
}  // namespace rwa::tasks

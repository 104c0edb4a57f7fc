// tests/tasks/xor_test.cc: counts the parity of all bits so far.
#include "tasks/tasks_testing.h"

namespace rwa::tasks {
namespace {

constexpr XorTask kSmall{.steps = 7, .bits = 3};

TEST(Xor, TheAnswerIsWhetherTheOnesSoFarAreOdd) {
  const auto data = open_synthetic(kSmall);
  const datasets::Batch batch = fill_first(*data, datasets::Split::kTrain, 500);
  for (std::size_t b = 0; b < 500; ++b) {
    int ones = 0;
    for (int t = 0; t < kSmall.steps; ++t) {
      for (int bit = 0; bit < kSmall.bits; ++bit) {
        const float value = input(batch, *data, t, b, bit);
        ASSERT_TRUE(value == 1 || value == -1) << value;
        ones += value == 1 ? 1 : 0;
      }
      ASSERT_EQ(batch.values.at(row(batch, t, b)), ones % 2);
    }
  }
}

TEST(Xor, BitsAndAnswersAreEven) {
  constexpr int kSamples = 5000;
  const auto data = open_synthetic(kSmall);
  const datasets::Batch batch = fill_first(*data, datasets::Split::kTrain, kSamples);
  for (int t = 0; t < kSmall.steps; ++t) {
    int ones = 0, odd = 0;
    for (std::size_t b = 0; b < kSamples; ++b) {
      ones += input(batch, *data, t, b, 1) == 1 ? 1 : 0;
      odd += batch.values.at(row(batch, t, b)) == 1 ? 1 : 0;
    }
    expect_share(ones, kSamples, 0.5, "a bit");
    expect_share(odd, kSamples, 0.5, "an answer");
  }
}

TEST(Xor, ANetworkForIt) {
  const auto data = open_synthetic(kSmall);
  EXPECT_EQ(data->shape().input, Input::kNumbers);
  EXPECT_EQ(data->shape().inputs, 3);
  EXPECT_EQ(data->shape().outputs, 1);
  EXPECT_EQ(data->shape().readout, Readout::kEvery);
  EXPECT_EQ(data->shape().loss, Loss::kSigmoid);
  EXPECT_EQ(data->shape().longest, 7);
  EXPECT_EQ(data->naive().loss, 1);
  EXPECT_EQ(data->naive().accuracy, 0.5);
}

}  // namespace
}  // namespace rwa::tasks

// tests/tasks/spelling_test.cc: numbers reconstructed from their digits.
#include <array>
#include <cmath>

#include "tasks/tasks_testing.h"

namespace rwa::tasks {
namespace {

constexpr SpellingTask kSmall{.numbers = 3, .digits = 2, .base = 4};

TEST(Spelling, TheDigitsSayWhichPartTheNumberIsTheMiddleOf) {
  const auto data = open_synthetic(kSmall);
  const datasets::Batch batch = fill_first(*data, datasets::Split::kTrain, 500);
  ASSERT_EQ(batch.target_steps, 6);
  for (std::size_t b = 0; b < 500; ++b) {
    ASSERT_EQ(batch.target_lengths[b], 6);
    for (int number = 0; number < kSmall.numbers; ++number) {
      const int high = batch.classes.at(row(batch, 2 * number, b));
      const int low = batch.classes.at(row(batch, 2 * number + 1, b));
      // The 16 parts of -1…1 are 1/8 wide.
      EXPECT_EQ(input(batch, *data, 0, b, number), -1 + (4 * high + low + 0.5) / 8);
    }
  }
}

TEST(Spelling, DigitsAreEvenAndIndependent) {
  constexpr int kSamples = 20'000;
  const datasets::Batch batch =
      fill_first(*open_synthetic(kSmall), datasets::Split::kTrain, kSamples);
  std::array<int, 16> within{}, across{};
  for (std::size_t b = 0; b < kSamples; ++b) {
    const auto digit = [&](int t) { return batch.classes.at(row(batch, t, b)); };
    ++within.at(4 * digit(0) + digit(1));
    ++across.at(4 * digit(1) + digit(5));
  }
  for (const int count : within) expect_share(count, kSamples, 1.0 / 16, "a number");
  for (const int count : across) expect_share(count, kSamples, 1.0 / 16, "two digits");
}

TEST(Spelling, ANetworkForIt) {
  const auto data = open_synthetic(kSmall);
  EXPECT_EQ(data->shape().input, Input::kNumbers);
  EXPECT_EQ(data->shape().inputs, 3);
  EXPECT_EQ(data->shape().outputs, 4);
  EXPECT_EQ(data->shape().readout, Readout::kLast);
  EXPECT_EQ(data->shape().loss, Loss::kSoftmax);
  EXPECT_EQ(data->shape().longest, 1);
  EXPECT_EQ(data->shape().says, 6);
  EXPECT_EQ(data->naive().loss, 2);
  EXPECT_EQ(data->naive().accuracy, 0.25);
}

}  // namespace
}  // namespace rwa::tasks

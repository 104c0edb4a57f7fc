// tests/tasks/look_ahead_test.cc: each target is the symbol some steps later.
#include "tasks/tasks_testing.h"

namespace rwa::tasks {
namespace {

constexpr LookAheadTask kSmall{.steps = 9, .ahead = 2, .symbols = 4};

TEST(LookAhead, TheAnswerIsTheSymbolThatComesLater) {
  const datasets::Batch batch = fill_first(*open_synthetic(kSmall), datasets::Split::kTrain, 500);
  ASSERT_EQ(batch.steps, kSmall.steps);
  for (std::size_t b = 0; b < 500; ++b) {
    for (int t = 0; t < kSmall.steps; ++t) {
      const int later = t + kSmall.ahead;
      const int expected = later < kSmall.steps ? batch.symbols.at(row(batch, later, b)) : 4;
      ASSERT_EQ(batch.classes.at(row(batch, t, b)), expected);
    }
  }
}

TEST(LookAhead, SymbolsAreEvenAndIndependent) {
  constexpr int kSamples = 20'000;
  const datasets::Batch batch =
      fill_first(*open_synthetic(kSmall), datasets::Split::kTrain, kSamples);
  std::vector<int> pairs(16);
  for (std::size_t b = 0; b < kSamples; ++b) {
    ++pairs.at(4 * batch.symbols.at(row(batch, 3, b)) + batch.symbols.at(row(batch, 5, b)));
  }
  for (const int count : pairs) expect_share(count, kSamples, 1.0 / 16, "a pair of symbols");
}

TEST(LookAhead, ANetworkForIt) {
  const auto data = open_synthetic(kSmall);
  EXPECT_EQ(data->shape().input, Input::kSymbols);
  EXPECT_EQ(data->shape().inputs, 4);
  EXPECT_EQ(data->shape().outputs, 5);
  EXPECT_EQ(data->shape().readout, Readout::kEvery);
  EXPECT_EQ(data->shape().loss, Loss::kSoftmax);
  EXPECT_EQ(data->shape().longest, 9);
  // The baseline guesses 7 of 9 targets among 4.
  EXPECT_NEAR(data->naive().loss, 7 * 2 / 9.0, 1e-12);
  EXPECT_NEAR(data->naive().accuracy.value(), (2 + 7 / 4.0) / 9, 1e-12);
}

}  // namespace
}  // namespace rwa::tasks

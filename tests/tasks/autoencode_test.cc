// tests/tasks/autoencode_test.cc: the target is the input, followed by the end label.
#include <array>
#include <cmath>
#include <vector>

#include "tasks/tasks_testing.h"

namespace rwa::tasks {
namespace {

constexpr AutoencodeTask kSmall{.shortest = 2, .longest = 5, .symbols = 3};
constexpr int kEnd = 3;

TEST(Autoencode, TheAnswerIsTheSequenceAndItsEnd) {
  const datasets::Batch batch = fill_first(*open_synthetic(kSmall), datasets::Split::kTrain, 500);
  for (std::size_t b = 0; b < 500; ++b) {
    const int length = batch.lengths[b];
    ASSERT_EQ(batch.target_lengths.at(b), length + 1);
    for (int t = 0; t < length; ++t) {
      ASSERT_EQ(batch.classes.at(row(batch, t, b)), batch.symbols.at(row(batch, t, b)));
      ASSERT_LT(batch.symbols.at(row(batch, t, b)), kEnd);
    }
    ASSERT_EQ(batch.classes.at(row(batch, length, b)), kEnd);
  }
}

TEST(Autoencode, LengthsAndSymbolsAreEven) {
  constexpr int kSamples = 20'000;
  const datasets::Batch batch =
      fill_first(*open_synthetic(kSmall), datasets::Split::kTrain, kSamples);
  std::array<int, 6> lengths{};
  std::array<int, 9> pairs{};
  for (std::size_t b = 0; b < kSamples; ++b) {
    ++lengths.at(batch.lengths[b]);
    ++pairs.at(3 * batch.symbols.at(row(batch, 0, b)) + batch.symbols.at(row(batch, 1, b)));
  }
  for (int length = 0; length < 6; ++length) {
    expect_share(lengths[length], kSamples, length < 2 ? 0 : 0.25, "a length");
  }
  for (const int count : pairs) expect_share(count, kSamples, 1.0 / 9, "a pair of symbols");
}

TEST(Autoencode, ANetworkForIt) {
  const datasets::Shape shape = open_synthetic(kSmall)->shape();
  EXPECT_EQ(shape.input, Input::kSymbols);
  EXPECT_EQ(shape.inputs, 3);
  EXPECT_EQ(shape.outputs, 4);
  EXPECT_EQ(shape.readout, Readout::kLast);
  EXPECT_EQ(shape.loss, Loss::kSoftmax);
  EXPECT_EQ(shape.longest, 5);
  EXPECT_EQ(shape.mean_length, 3.5);
  EXPECT_EQ(shape.says, 6);
}

// The baseline, counted over the samples: the most frequent label at each step, and the
// cross-entropy of the label frequencies at each step, given the sequences that have not ended yet.
TEST(Autoencode, NaiveIsWhatThePlacesTell) {
  const auto data = open_synthetic(kSmall);
  constexpr int kSamples = 50'000;
  const datasets::Batch batch = fill_first(*data, datasets::Split::kTrain, kSamples);
  double right = 0, bits = 0, labels = 0;
  for (int place = 0; place < batch.target_steps; ++place) {
    std::vector<double> counts(4);
    double all = 0;
    for (std::size_t b = 0; b < kSamples; ++b) {
      if (place >= batch.target_lengths[b]) continue;
      ++counts.at(batch.classes.at(row(batch, place, b)));
      ++all;
    }
    double best = 0;
    for (const double count : counts) {
      best = std::max(best, count);
      if (count > 0) bits -= count * std::log2(count / all);
    }
    right += best;
    labels += all;
  }
  EXPECT_NEAR(data->naive().loss, bits / labels, 2e-3);
  EXPECT_NEAR(data->naive().accuracy.value(), right / labels, 5e-3);
}

}  // namespace
}  // namespace rwa::tasks

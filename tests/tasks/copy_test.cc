// tests/tasks/copy_test.cc: the inputs and targets of the copy problem, read back symbol by symbol.
#include <algorithm>
#include <array>
#include <vector>

#include "tasks/tasks_testing.h"

namespace rwa::tasks {
namespace {

constexpr CopyTask kSmall{.remember = 3, .delay = 5, .symbols = 4, .delimiter_places = 5};

struct Sequence {
  std::vector<int> shown, wanted;
};

std::vector<Sequence> read(const CopyTask& task, int count) {
  const auto data = open_synthetic(task);
  const datasets::Batch batch = fill_first(*data, datasets::Split::kTrain, count);
  EXPECT_EQ(batch.steps, 2 * task.remember + task.delay);
  EXPECT_TRUE(batch.values.empty());
  std::vector<Sequence> sequences(static_cast<std::size_t>(count));
  for (std::size_t b = 0; b < sequences.size(); ++b) {
    EXPECT_EQ(batch.lengths.at(b), batch.steps);
    for (int t = 0; t < batch.steps; ++t) {
      sequences[b].shown.push_back(hot(batch, *data, t, b));
      sequences[b].wanted.push_back(batch.classes.at(row(batch, t, b)));
    }
  }
  return sequences;
}

int delimiter_of(const Sequence& sequence, const CopyTask& task) {
  const auto& shown = sequence.shown;
  return static_cast<int>(std::find(shown.begin(), shown.end(), task.symbols + 1) - shown.begin());
}

// Reconstructs the whole sample from its symbols and the position of the delimiter.
void expect_sequence(const Sequence& found, const CopyTask& task) {
  const int steps = 2 * task.remember + task.delay;
  const int blank = task.symbols;
  const int delimiter = delimiter_of(found, task);
  ASSERT_LT(delimiter, steps);
  Sequence expected{.shown = std::vector<int>(steps, blank),
                    .wanted = std::vector<int>(steps, blank)};
  expected.shown[delimiter] = task.symbols + 1;
  for (int i = 0; i < task.remember; ++i) {
    const int symbol = found.shown[i];
    ASSERT_GE(symbol, 0);
    ASSERT_LT(symbol, task.symbols);
    expected.shown[i] = symbol;
    expected.wanted.at(delimiter + 1 + i) = symbol;
  }
  EXPECT_EQ(found.shown, expected.shown);
  EXPECT_EQ(found.wanted, expected.wanted);
}

TEST(Copy, TheAnswerFollowsTheDelimiter) {
  for (const Sequence& sequence : read(kSmall, 1000)) expect_sequence(sequence, kSmall);
  for (const Sequence& sequence : read(CopyTask{}, 100)) expect_sequence(sequence, CopyTask{});
}

TEST(Copy, TheDelimiterStandsAnywhereAmongItsPlaces) {
  constexpr int kSamples = 20'000;
  for (const int places : {1, 4, 5}) {
    CopyTask task = kSmall;
    task.delimiter_places = places;
    std::vector<int> seen(static_cast<std::size_t>(task.delay));
    for (const Sequence& s : read(task, kSamples)) ++seen.at(delimiter_of(s, task) - task.remember);
    for (int place = 0; place < task.delay; ++place) {
      expect_share(seen[place], kSamples, place < places ? 1.0 / places : 0, "a place");
    }
  }
}

TEST(Copy, SymbolsAreEvenAndIndependent) {
  constexpr int kSamples = 20'000;
  std::array<int, 4> first{};
  std::array<int, 16> pairs{};
  for (const Sequence& s : read(kSmall, kSamples)) {
    ++first.at(s.shown[0]);
    ++pairs.at(4 * s.shown[1] + s.shown[2]);
  }
  for (const int count : first) expect_share(count, kSamples, 0.25, "a symbol");
  for (const int count : pairs) expect_share(count, kSamples, 1.0 / 16, "a pair of symbols");
}

TEST(Copy, ANetworkForIt) {
  const auto data = open_synthetic(CopyTask{});
  EXPECT_EQ(data->shape().inputs, 10);
  EXPECT_EQ(data->shape().outputs, 9);
  EXPECT_EQ(data->shape().readout, Readout::kEvery);
  EXPECT_EQ(data->shape().loss, Loss::kSoftmax);
  EXPECT_EQ(data->shape().longest, 120);
  EXPECT_EQ(data->shape().mean_length, 120);
}

// The values of the paper and of the released scripts.
TEST(Copy, NaiveLoss) {
  const auto naive = [](int symbols, int delay) {
    return open_synthetic(CopyTask{.delay = delay, .symbols = symbols})->naive().loss;
  };
  EXPECT_NEAR(naive(8, 100), 0.25, 1e-12);
  EXPECT_NEAR(naive(8, 1000), 0.0294, 5e-5);
  EXPECT_NEAR(naive(7, 100), 0.2339, 5e-5);
  EXPECT_NEAR(naive(7, 1000), 0.0275, 5e-5);
  EXPECT_FALSE(open_synthetic(CopyTask{})->naive().accuracy.has_value());
}

}  // namespace
}  // namespace rwa::tasks

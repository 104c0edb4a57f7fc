// tests/tasks/multi_copy_test.cc: every episode of the repeated copy problem, read back.
#include <algorithm>
#include <vector>

#include "tasks/tasks_testing.h"

namespace rwa::tasks {
namespace {

constexpr MultiCopyTask kSmall{
    .episodes = 4, .test_episodes = 6, .remember = 3, .delay = 5, .symbols = 4};
constexpr int kEpisode = 11;  // steps: 3 symbols, 5 of delay, 3 blanks
constexpr int kBlank = 4, kDelimiter = 5;

using Labels = std::vector<std::int32_t>;

struct Episode {
  Labels shown, wanted;
};

std::vector<Episode> read(int sequences, datasets::Split split = datasets::Split::kTrain) {
  const datasets::Batch batch = fill_first(*open_synthetic(kSmall), split, sequences);
  EXPECT_EQ(batch.steps, (split == datasets::Split::kTrain ? 4 : 6) * kEpisode);
  std::vector<Episode> episodes;
  for (std::size_t b = 0; b < batch.lengths.size(); ++b) {
    for (int t = 0; t < batch.steps; ++t) {
      if (t % kEpisode == 0) episodes.emplace_back();
      episodes.back().shown.push_back(batch.symbols.at(row(batch, t, b)));
      episodes.back().wanted.push_back(batch.classes.at(row(batch, t, b)));
    }
  }
  return episodes;
}

int delimiter_of(const Episode& episode) {
  return static_cast<int>(std::ranges::find(episode.shown, kDelimiter) - episode.shown.begin());
}

void expect_answers(const std::vector<Episode>& episodes) {
  for (const Episode& found : episodes) {
    const int delimiter = delimiter_of(found);
    ASSERT_GE(delimiter, kSmall.remember);
    ASSERT_LT(delimiter, kSmall.remember + kSmall.delay);
    Episode expected{.shown = Labels(kEpisode, kBlank), .wanted = Labels(kEpisode, kBlank)};
    expected.shown[delimiter] = kDelimiter;
    for (int i = 0; i < kSmall.remember; ++i) {
      ASSERT_LT(found.shown[i], kSmall.symbols);
      expected.shown[i] = found.shown[i];
      expected.wanted.at(delimiter + 1 + i) = found.shown[i];
    }
    EXPECT_EQ(found.shown, expected.shown);
    EXPECT_EQ(found.wanted, expected.wanted);
  }
}

TEST(MultiCopy, InEveryEpisodeTheAnswerFollowsTheDelimiter) {
  expect_answers(read(500));
  expect_answers(read(300, datasets::Split::kTest));
}

TEST(MultiCopy, EpisodesAreEvenAndIndependent) {
  constexpr int kSequences = 5000;
  const std::vector<Episode> episodes = read(kSequences);
  std::vector<int> places(kSmall.delay), pairs(16);
  for (std::size_t i = 0; i < episodes.size(); i += 4) {
    ++places.at(delimiter_of(episodes[i + 1]) - kSmall.remember);
    ++pairs.at(4 * episodes[i].shown[0] + episodes[i + 1].shown[0]);
  }
  for (const int count : places) expect_share(count, kSequences, 0.2, "a place");
  for (const int count : pairs) expect_share(count, kSequences, 1.0 / 16, "a pair of symbols");
}

TEST(MultiCopy, ANetworkForIt) {
  const auto data = open_synthetic(kSmall);
  EXPECT_EQ(data->shape().input, Input::kSymbols);
  EXPECT_EQ(data->shape().inputs, 6);
  EXPECT_EQ(data->shape().outputs, 5);
  EXPECT_EQ(data->shape().readout, Readout::kEvery);
  EXPECT_EQ(data->shape().loss, Loss::kSoftmax);
  EXPECT_EQ(data->shape().longest, 66);
  EXPECT_EQ(data->shape().mean_length, 44);
  // The baseline guesses 3 of 11 targets among 4.
  EXPECT_NEAR(data->naive().loss, 3 * 2 / 11.0, 1e-12);
  EXPECT_NEAR(data->naive().accuracy.value(), (8 + 3 / 4.0) / 11, 1e-12);
}

}  // namespace
}  // namespace rwa::tasks

// tests/tasks/task_test.cc: the samples of every synthetic task depend only on (seed, split,
// number). Invalid tasks are rejected.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "io/io_testing.h"
#include "rwa/errors.h"
#include "tasks/tasks_testing.h"

namespace rwa::tasks {
namespace {

class SyntheticTask : public ::testing::TestWithParam<Task> {
 protected:
  std::unique_ptr<datasets::Dataset> data_ = open_synthetic(GetParam());
};

std::string name_of_kind(const ::testing::TestParamInfo<Task>& info) {
  return std::vector<std::string>{"Grammar",
                                  "Length",
                                  "Copy",
                                  "Adding",
                                  "GrammarOfTheScripts",
                                  "LengthOfTheScripts",
                                  "MultiCopy",
                                  "Xor",
                                  "LookAhead",
                                  "Autoencode",
                                  "Spelling"}[info.index];
}
INSTANTIATE_TEST_SUITE_P(
    Every, SyntheticTask,
    ::testing::Values(GrammarTask{}, LengthTask{.longest = 30, .threshold = 15},
                      CopyTask{.delay = 9, .delimiter_places = 9}, AddingTask{.steps = 10},
                      GrammarTask{.cut_test_by_first_length = true},
                      LengthTask{.longest = 29, .threshold = 15, .values = Values::kUniform},
                      MultiCopyTask{}, XorTask{}, LookAheadTask{}, AutoencodeTask{.longest = 30},
                      SpellingTask{}),
    name_of_kind);

// One sequence of a batch with its targets.
struct Sample {
  std::vector<float> x, values;
  std::vector<std::int32_t> symbols, classes;

  friend bool operator==(const Sample&, const Sample&) = default;
};

// Returns the number of steps of sequence b that have a target.
int answers(const datasets::Batch& batch, const datasets::Shape& shape, std::size_t b) {
  if (shape.says > 0) return batch.target_lengths.at(b);
  return shape.readout == Readout::kEvery ? batch.lengths.at(b) : 1;
}

Sample take(const datasets::Batch& batch, const datasets::Shape& shape, std::size_t b) {
  Sample sample;
  for (int t = 0; t < batch.lengths.at(b); ++t) {
    if (shape.input == Input::kSymbols) {
      sample.symbols.push_back(batch.symbols.at(row(batch, t, b)));
      continue;
    }
    for (int i = 0; i < shape.inputs; ++i) {
      sample.x.push_back(batch.x.at(row(batch, t, b) * shape.inputs + i));
    }
  }
  for (int t = 0; t < answers(batch, shape, b); ++t) {
    if (shape.loss == Loss::kSoftmax) {
      sample.classes.push_back(batch.classes.at(row(batch, t, b)));
    } else {
      sample.values.push_back(batch.values.at(row(batch, t, b)));
    }
  }
  return sample;
}

Sample alone(const datasets::Dataset& data, datasets::Split split, std::int64_t number) {
  return take(fill(data, split, {number}), data.shape(), 0);
}

TEST_P(SyntheticTask, ASampleIsTheSameInAnyBatch) {
  const std::vector<std::int64_t> numbers = {7, 99'999, 0, 7, 5000};
  const datasets::Batch batch = fill(*data_, datasets::Split::kTrain, numbers);
  for (std::size_t b = 0; b < numbers.size(); ++b) {
    EXPECT_EQ(take(batch, data_->shape(), b), alone(*data_, datasets::Split::kTrain, numbers[b]))
        << b;
  }
}

TEST_P(SyntheticTask, AUsedBatchIsFilledAsANewOne) {
  const datasets::Batch expected = fill(*data_, datasets::Split::kTest, {3, 1});
  datasets::Batch used = fill_first(*data_, datasets::Split::kTrain, 50);
  std::fill(used.x.begin(), used.x.end(), 9.0F);
  std::fill(used.symbols.begin(), used.symbols.end(), 9);
  used.classes.resize(77, 9);
  used.values.resize(77, 9);
  data_->fill(datasets::Split::kTest, std::vector<std::int64_t>{3, 1}, used);
  EXPECT_EQ(used.x, expected.x);
  EXPECT_EQ(used.symbols, expected.symbols);
  EXPECT_EQ(used.lengths, expected.lengths);
  EXPECT_EQ(used.target_lengths, expected.target_lengths);
  EXPECT_EQ(used.target_steps, expected.target_steps);
  EXPECT_EQ(used.classes, expected.classes);
  EXPECT_EQ(used.values, expected.values);
  EXPECT_EQ(used.steps, expected.steps);
}

auto inputs(const datasets::Batch& batch) { return std::pair(batch.x, batch.symbols); }

TEST_P(SyntheticTask, ADataSetOpenedAgainIsTheSame) {
  const auto again = open_synthetic(GetParam());
  EXPECT_EQ(inputs(fill_first(*again, datasets::Split::kTest, 20)),
            inputs(fill_first(*data_, datasets::Split::kTest, 20)));
}

TEST_P(SyntheticTask, SplitSeedAndNumberAllMatter) {
  const auto other_seed = open_synthetic(GetParam(), 2);
  const auto train = inputs(fill_first(*data_, datasets::Split::kTrain, 20));
  EXPECT_NE(train, inputs(fill_first(*data_, datasets::Split::kTest, 20)));
  EXPECT_NE(train, inputs(fill_first(*other_seed, datasets::Split::kTrain, 20)));
  EXPECT_NE(alone(*data_, datasets::Split::kTrain, 0), alone(*data_, datasets::Split::kTrain, 1));
}

TEST_P(SyntheticTask, BatchesHaveTheirShape) {
  const datasets::Shape& shape = data_->shape();
  const datasets::Batch batch = fill_first(*data_, datasets::Split::kTest, 200);
  const std::size_t rows = static_cast<std::size_t>(batch.steps) * 200;
  EXPECT_EQ(batch.lengths.size(), 200U);
  EXPECT_EQ(batch.steps, *std::max_element(batch.lengths.begin(), batch.lengths.end()));
  EXPECT_LE(batch.steps, shape.longest);
  const bool symbols = shape.input == Input::kSymbols;
  EXPECT_EQ(batch.x.size(), symbols ? 0 : rows * shape.inputs);
  EXPECT_EQ(batch.symbols.size(), symbols ? rows : 0);
  const std::size_t outputs = shape.says > 0 ? static_cast<std::size_t>(batch.target_steps) * 200
                              : shape.readout == Readout::kEvery ? rows
                                                                 : 200U;
  EXPECT_EQ(batch.classes.size(), shape.loss == Loss::kSoftmax ? outputs : 0);
  EXPECT_EQ(batch.values.size(), shape.loss == Loss::kSoftmax ? 0 : outputs);
  for (std::size_t b = 0; b < 200; ++b) {
    for (int t = batch.lengths[b]; t < batch.steps; ++t) {
      for (int i = 0; i < shape.inputs && !symbols; ++i) {
        ASSERT_EQ(input(batch, *data_, t, b, i), 0);
      }
    }
  }
}

TEST_P(SyntheticTask, NamesOnlySymbolsAndClassesThatThereAre) {
  const datasets::Shape& shape = data_->shape();
  const datasets::Batch batch = fill_first(*data_, datasets::Split::kTest, 200);
  for (const std::int32_t symbol : batch.symbols) {
    ASSERT_TRUE(symbol >= 0 && symbol < shape.inputs) << symbol;
  }
  for (const std::int32_t label : batch.classes) {
    ASSERT_TRUE(label >= 0 && label < shape.outputs) << label;
  }
}

TEST_P(SyntheticTask, OnlyADecoderHasLengthsOfAnswers) {
  const datasets::Batch batch = fill_first(*data_, datasets::Split::kTest, 200);
  if (data_->shape().says == 0) {
    EXPECT_EQ(batch.target_steps, 0);
    EXPECT_TRUE(batch.target_lengths.empty());
    return;
  }
  ASSERT_EQ(batch.target_lengths.size(), 200U);
  EXPECT_EQ(batch.target_steps,
            *std::max_element(batch.target_lengths.begin(), batch.target_lengths.end()));
  EXPECT_LE(batch.target_steps, data_->shape().says);
}

TEST_P(SyntheticTask, Sizes) {
  EXPECT_EQ(data_->size(datasets::Split::kTrain), 100'000);
  EXPECT_EQ(data_->size(datasets::Split::kTest), 10'000);
  EXPECT_EQ(data_->size(datasets::Split::kValid), 0);
}

// The samples drawn by the runs of the paper.
TEST_P(SyntheticTask, SamplesAreDrawnWithReplacement) {
  std::vector<std::int64_t> samples(1000);
  data_->draw(3, 700, samples);
  const Random random(3, Purpose::kTrainDraws);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    EXPECT_EQ(samples[i], static_cast<std::int64_t>(random.below(700 + i, 100'000)));
  }
}

void expect_refusal(const Task& task, std::string_view message) {
  io::expect_error<ConfigError>([&] { open_synthetic(task); }, {message});
}

TEST(TaskThatCannotBe, IsRefused) {
  expect_refusal(GrammarTask{.train = 0}, "train is 0, expected 1 to 4294967295");
  expect_refusal(LengthTask{.test = -1}, "test is -1, expected 1 to");
  expect_refusal(AddingTask{.test = std::int64_t{1} << 32}, "test is 4294967296, expected 1 to");
  expect_refusal(LengthTask{.longest = 0}, "longest is 0, expected 1 to 1000000");
  expect_refusal(LengthTask{.longest = 10, .threshold = 10}, "threshold is 10, expected 0 to 9");
  expect_refusal(LengthTask{.threshold = -1}, "threshold is -1, expected 0 to 999");
  expect_refusal(LengthTask{.values = static_cast<Values>(7)}, "no distribution number 7");
  expect_refusal(CopyTask{.remember = 0}, "remember is 0, expected 1 to");
  expect_refusal(CopyTask{.delay = 2'000'000'000}, "delay is 2000000000, expected 1 to 1000000");
  expect_refusal(CopyTask{.symbols = 1}, "symbols is 1, expected 2 to");
  expect_refusal(CopyTask{.delay = 50}, "delimiter_places is 100, expected 1 to 50");
  expect_refusal(AddingTask{.steps = 1}, "steps is 1, expected 2 to");
  expect_refusal(AddingTask{.order = static_cast<AddingOrder>(7)}, "no order number 7");
  expect_refusal(MultiCopyTask{.episodes = 0}, "episodes is 0, expected 1 to 90909");
  expect_refusal(MultiCopyTask{.test_episodes = 100'000}, "test_episodes is 100000, expected 1 to");
  expect_refusal(MultiCopyTask{.delay = 0}, "delay is 0, expected 1 to 1000000");
  expect_refusal(XorTask{.bits = 0}, "bits is 0, expected 1 to 1000");
  expect_refusal(LookAheadTask{.steps = 5, .ahead = 5}, "ahead is 5, expected 1 to 4");
  expect_refusal(AutoencodeTask{.shortest = 7}, "shortest is 7, expected 0 to 6");
  expect_refusal(SpellingTask{.numbers = 0}, "numbers is 0, expected 1 to 1000");
  expect_refusal(SpellingTask{.digits = 21, .base = 2}, "digits is 21, expected 1 to 20");
  expect_refusal(SpellingTask{.digits = 11, .base = 4}, "digits is 11, expected 1 to 10");
}

TEST(TaskNames, GoBothWays) {
  for (const Values values : {Values::kNormal, Values::kUniform}) {
    EXPECT_EQ(parse_values(to_string(values)), values);
  }
  for (const auto order : {AddingOrder::kIndicatorValue, AddingOrder::kValueIndicator}) {
    EXPECT_EQ(parse_adding_order(to_string(order)), order);
  }
  io::expect_error<ConfigError>([] { (void)parse_values("gauss"); },
                                {"'gauss'", "normal, uniform"});
  io::expect_error<ConfigError>([] { (void)parse_adding_order("value"); },
                                {"'value'", "indicator-value, value-indicator"});
}

}  // namespace
}  // namespace rwa::tasks

// tests/data/task_test.cc: what holds for the samples of every task that is computed, whatever they
// are: functions of (seed, split, number) and of nothing else. And the tasks that cannot be.
#include <algorithm>
#include <string>
#include <vector>

#include "data_testing.h"
#include "io/io_testing.h"
#include "rwa/errors.h"

namespace rwa::data {
namespace {

class SyntheticTask : public ::testing::TestWithParam<Task> {
 protected:
  std::unique_ptr<Dataset> data_ = open_synthetic(GetParam());
};

std::string name_of_kind(const ::testing::TestParamInfo<Task>& info) {
  return std::vector<std::string>{"Grammar",
                                  "Length",
                                  "Copy",
                                  "Adding",
                                  "GrammarOfTheScripts",
                                  "LengthOfTheScripts"}[info.index];
}
INSTANTIATE_TEST_SUITE_P(
    Every, SyntheticTask,
    ::testing::Values(GrammarTask{}, LengthTask{.longest = 30, .threshold = 15},
                      CopyTask{.delay = 9, .delimiter_places = 9}, AddingTask{.steps = 10},
                      GrammarTask{.cut_test_by_first_length = true},
                      LengthTask{.longest = 29, .threshold = 15, .values = Values::kUniform}),
    name_of_kind);

// One sequence of a batch, with what is wanted of it.
struct Sample {
  std::vector<float> x, values;
  std::vector<std::int32_t> classes;

  friend bool operator==(const Sample&, const Sample&) = default;
};

Sample take(const Batch& batch, const Shape& shape, std::size_t b) {
  Sample sample;
  const bool every = shape.readout == Readout::kEvery;
  for (int t = 0; t < batch.lengths.at(b); ++t) {
    for (int i = 0; i < shape.inputs; ++i) {
      sample.x.push_back(batch.x.at(row(batch, t, b) * shape.inputs + i));
    }
    if (every) sample.classes.push_back(batch.classes.at(row(batch, t, b)));
  }
  if (!every) sample.values.push_back(batch.values.at(b));
  return sample;
}

Sample alone(const Dataset& data, Split split, std::int64_t number) {
  return take(fill(data, split, {number}), data.shape(), 0);
}

TEST_P(SyntheticTask, ASampleIsTheSameInAnyBatch) {
  const std::vector<std::int64_t> numbers = {7, 99'999, 0, 7, 5000};
  const Batch batch = fill(*data_, Split::kTrain, numbers);
  for (std::size_t b = 0; b < numbers.size(); ++b) {
    EXPECT_EQ(take(batch, data_->shape(), b), alone(*data_, Split::kTrain, numbers[b])) << b;
  }
}

TEST_P(SyntheticTask, AUsedBatchIsFilledAsANewOne) {
  const Batch expected = fill(*data_, Split::kTest, {3, 1});
  Batch used = fill_first(*data_, Split::kTrain, 50);
  std::fill(used.x.begin(), used.x.end(), 9.0F);
  used.classes.resize(77, 9);
  used.values.resize(77, 9);
  data_->fill(Split::kTest, std::vector<std::int64_t>{3, 1}, used);
  EXPECT_EQ(used.x, expected.x);
  EXPECT_EQ(used.lengths, expected.lengths);
  EXPECT_EQ(used.classes, expected.classes);
  EXPECT_EQ(used.values, expected.values);
  EXPECT_EQ(used.steps, expected.steps);
}

TEST_P(SyntheticTask, ADataSetOpenedAgainIsTheSame) {
  const auto again = open_synthetic(GetParam());
  EXPECT_EQ(fill_first(*again, Split::kTest, 20).x, fill_first(*data_, Split::kTest, 20).x);
}

TEST_P(SyntheticTask, SplitSeedAndNumberAllMatter) {
  const auto other_seed = open_synthetic(GetParam(), 2);
  const Batch train = fill_first(*data_, Split::kTrain, 20);
  EXPECT_NE(train.x, fill_first(*data_, Split::kTest, 20).x);
  EXPECT_NE(train.x, fill_first(*other_seed, Split::kTrain, 20).x);
  EXPECT_NE(alone(*data_, Split::kTrain, 0), alone(*data_, Split::kTrain, 1));
}

TEST_P(SyntheticTask, BatchesHaveTheirShape) {
  const Shape& shape = data_->shape();
  const Batch batch = fill_first(*data_, Split::kTest, 200);
  const std::size_t rows = static_cast<std::size_t>(batch.steps) * 200;
  EXPECT_EQ(batch.lengths.size(), 200U);
  EXPECT_EQ(batch.steps, *std::max_element(batch.lengths.begin(), batch.lengths.end()));
  EXPECT_LE(batch.steps, shape.longest);
  EXPECT_EQ(batch.x.size(), rows * shape.inputs);
  const std::size_t outputs = shape.readout == Readout::kEvery ? rows : 200U;
  EXPECT_EQ(batch.classes.size(), shape.loss == Loss::kSoftmax ? outputs : 0);
  EXPECT_EQ(batch.values.size(), shape.loss == Loss::kSoftmax ? 0 : outputs);
  for (std::size_t b = 0; b < 200; ++b) {
    for (int t = batch.lengths[b]; t < batch.steps; ++t) {
      for (int i = 0; i < shape.inputs; ++i) ASSERT_EQ(input(batch, *data_, t, b, i), 0);
    }
  }
}

TEST_P(SyntheticTask, Sizes) {
  EXPECT_EQ(data_->size(Split::kTrain), 100'000);
  EXPECT_EQ(data_->size(Split::kTest), 10'000);
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
}  // namespace rwa::data

#include "run/evaluate.h"

#include <cmath>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "run/run_testing.h"

namespace rwa::run {
namespace {

using data::Split;

std::vector<std::int64_t> numbers(std::int64_t from, std::int64_t to) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(to - from));
  std::iota(all.begin(), all.end(), from);
  return all;
}

// The copying task, with sequences that end at any step and an accuracy: no task of the paper has
// classes at every step and either of these.
class CutCopy : public data::Dataset {
 public:
  const data::Shape& shape() const override { return whole_->shape(); }
  data::Naive naive() const override { return {.loss = 1, .accuracy = 0.5}; }
  std::int64_t size(Split split) const override { return whole_->size(split); }
  void fill(Split split, std::span<const std::int64_t> samples, data::Batch& batch) const override {
    whole_->fill(split, samples, batch);
    for (std::size_t b = 0; b < samples.size(); ++b) {
      batch.lengths[b] = static_cast<std::int32_t>(samples[b]) % (batch.steps + 1);
    }
  }

 private:
  std::unique_ptr<data::Dataset> whole_ = data::open_task(
      data::CopyTask{.remember = 2, .delay = 5, .symbols = 3, .delimiter_places = 5}, 3, {});
};

struct Fixture {
  explicit Fixture(const data::Task& task) : Fixture(data::open_task(task, 3, {})) {}
  explicit Fixture(std::unique_ptr<data::Dataset> samples)
      : dataset(std::move(samples)),
        model({.inputs = dataset->shape().inputs,
               .units = 8,
               .outputs = dataset->shape().outputs,
               .readout = dataset->shape().readout,
               .loss = dataset->shape().loss}),
        evaluator(model, *dataset, {}) {}

  std::unique_ptr<data::Dataset> dataset;
  Model model;
  Evaluator evaluator;
};

// Each sample alone, from its outputs: slow and obvious.
struct Plain {
  double loss = 0, right = 0, answers = 0;
};
Plain plainly(const Fixture& f, std::int64_t count) {
  Plain sum;
  Session session(f.model);
  data::Batch batch;
  const int outputs = f.dataset->shape().outputs;
  for (std::int64_t i = 0; i < count; ++i) {
    f.dataset->fill(Split::kTest, std::vector{i}, batch);
    const bool every = f.dataset->shape().readout == Readout::kEvery;
    const int rows = every ? batch.lengths[0] : 1;
    std::vector<float> y(static_cast<std::size_t>((every ? batch.steps : 1) * outputs));
    session.run(batch.sequences(), y);
    for (int r = 0; r < rows; ++r) {
      ++sum.answers;
      if (f.dataset->shape().loss == Loss::kSoftmax) {
        double total = 0;
        int best = 0;
        for (int o = 0; o < outputs; ++o) {
          total += std::exp(y[r * outputs + o]);
          if (y[r * outputs + o] > y[r * outputs + best]) best = o;
        }
        sum.loss += std::log(total) - y[r * outputs + batch.classes[r]];
        sum.right += best == batch.classes[r] ? 1 : 0;
      } else {
        const double p = 1 / (1 + std::exp(-y[r]));
        sum.loss -= std::log(batch.values[r] == 1 ? p : 1 - p);
        sum.right += (p > 0.5) == (batch.values[r] == 1) ? 1 : 0;
      }
    }
  }
  return sum;
}

void expect_plain(Fixture f) {
  Score score = f.evaluator.score(Split::kTest, numbers(0, 7));
  score += f.evaluator.score(Split::kTest, numbers(7, 40));
  const Plain plain = plainly(f, 40);
  EXPECT_EQ(static_cast<double>(score.answers), plain.answers);
  EXPECT_NEAR(score.loss, plain.loss, 1e-4 * plain.loss);
  EXPECT_EQ(static_cast<double>(score.right), plain.right);

  const Metric metric = to_metric(score, f.dataset->shape().loss, 5, "test");
  EXPECT_NEAR(metric.loss, plain.loss / plain.answers / std::log(2), 1e-4);
  ASSERT_TRUE(metric.accuracy.has_value());
  EXPECT_DOUBLE_EQ(*metric.accuracy, plain.right / plain.answers);
}

TEST(Evaluator, ScoresClassesAtEveryStepOfSequencesOfAnyLength) {
  expect_plain(Fixture(std::make_unique<CutCopy>()));
}

TEST(Evaluator, ScoresYesOrNoAfterSequencesOfAnyLength) {
  expect_plain(Fixture(data::GrammarTask{}));
  expect_plain(Fixture(data::LengthTask{.longest = 9, .threshold = 4}));
}

TEST(Evaluator, NumbersHaveNoAccuracy) {
  Fixture f(data::AddingTask{.steps = 10});
  const Score score = f.evaluator.score(Split::kTest, numbers(0, 40));
  const Metric metric = to_metric(score, Loss::kSquaredError, 5, "test");
  EXPECT_FALSE(metric.accuracy.has_value());
  EXPECT_EQ(metric.unit, "mse");
}

// Nearly all answers are blanks: to be right there says nothing.
TEST(Evaluator, CopyingHasNoAccuracy) {
  Fixture f(data::CopyTask{.remember = 2, .delay = 5, .symbols = 3, .delimiter_places = 5});
  const Score score = f.evaluator.score(Split::kTest, numbers(0, 40));
  EXPECT_FALSE(to_metric(score, Loss::kSoftmax, 5, "test").accuracy.has_value());
}

TEST(Score, MeansAreOverAnswersNotOverBatches) {
  Score score{.loss = 2, .answers = 2, .judged = 2, .right = 2};
  score += {.loss = 0, .answers = 6, .judged = 6, .right = 0};
  const Metric metric = to_metric(score, Loss::kSquaredError, 1, "final");
  EXPECT_DOUBLE_EQ(metric.loss, 0.25);
  EXPECT_DOUBLE_EQ(*metric.accuracy, 0.25);
}

}  // namespace
}  // namespace rwa::run

#include "training/evaluation.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "rwa/trainer.h"
#include "training/run_testing.h"

namespace rwa::training {
namespace {

using datasets::Split;

std::vector<std::int64_t> numbers(std::int64_t from, std::int64_t to) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(to - from));
  std::iota(all.begin(), all.end(), from);
  return all;
}

// The copy task with varying lengths and an accuracy: the paper's per-step classification task has
// neither.
class CutCopy : public datasets::Dataset {
 public:
  const datasets::Shape& shape() const override { return whole_->shape(); }
  datasets::Naive naive() const override { return {.loss = 1, .accuracy = 0.5}; }
  std::int64_t size(Split split) const override { return whole_->size(split); }
  void fill(Split split, std::span<const std::int64_t> samples,
            datasets::Batch& batch) const override {
    whole_->fill(split, samples, batch);
    for (std::size_t b = 0; b < samples.size(); ++b) {
      batch.lengths[b] = static_cast<std::int32_t>(samples[b]) % (batch.steps + 1);
    }
  }

 private:
  std::unique_ptr<datasets::Dataset> whole_ = tasks::open_task(
      tasks::CopyTask{.remember = 2, .delay = 5, .symbols = 3, .delimiter_places = 5}, 3, {});
};

struct Fixture {
  explicit Fixture(const tasks::Task& task) : Fixture(tasks::open_task(task, 3, {})) {}
  explicit Fixture(std::unique_ptr<datasets::Dataset> samples)
      : dataset(std::move(samples)),
        model(model_config({.name = "x", .network = {.units = 8}}, dataset->shape())),
        evaluator(model, *dataset, {}) {}

  std::unique_ptr<datasets::Dataset> dataset;
  Model model;
  Evaluator evaluator;
};

// Reference scores, computed sample by sample from the outputs.
struct Plain {
  double loss = 0, right = 0, answers = 0;
};
void count_answer(std::span<const float> y, std::int32_t label, Plain& sum) {
  double total = 0;
  for (const float value : y) total += std::exp(value);
  sum.loss += std::log(total) - y[static_cast<std::size_t>(label)];
  sum.right += std::ranges::max_element(y) - y.begin() == label ? 1 : 0;
  ++sum.answers;
}

Plain plainly(const Fixture& f, std::int64_t count) {
  Plain sum;
  Session session(f.model);
  datasets::Batch batch;
  const auto outputs = static_cast<std::size_t>(f.dataset->shape().outputs);
  for (std::int64_t i = 0; i < count; ++i) {
    f.dataset->fill(Split::kTest, std::vector{i}, batch);
    const bool every = f.dataset->shape().readout == Readout::kEvery;
    const int rows = every ? batch.lengths[0] : 1;
    std::vector<float> y(static_cast<std::size_t>(every ? batch.steps : 1) * outputs);
    session.run(batch.sequences(), y);
    for (int r = 0; r < rows; ++r) {
      if (f.dataset->shape().loss == Loss::kSoftmax) {
        count_answer(std::span(y).subspan(r * outputs, outputs), batch.classes[r], sum);
      } else {
        const double p = 1 / (1 + std::exp(-y[r]));
        sum.loss -= std::log(batch.values[r] == 1 ? p : 1 - p);
        sum.right += (p > 0.5) == (batch.values[r] == 1) ? 1 : 0;
        ++sum.answers;
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

TEST(Evaluator, ScoresSymbolsAndYesOrNoAtEveryStep) {
  expect_plain(Fixture(tasks::LookAheadTask{.steps = 6, .symbols = 3}));
  expect_plain(Fixture(tasks::XorTask{.steps = 5, .bits = 2}));
}

TEST(Evaluator, ScoresYesOrNoAfterSequencesOfAnyLength) {
  expect_plain(Fixture(tasks::GrammarTask{}));
  expect_plain(Fixture(tasks::LengthTask{.longest = 9, .threshold = 4}));
}

// Trains until the decoder makes different mistakes when it runs freely.
void train_a_little(Fixture& f) {
  Trainer trainer(f.model, {.learning_rate = 1e-2});
  datasets::Batch batch;
  for (int step = 0; step < 60; ++step) {
    f.dataset->fill(Split::kTrain, numbers(20 * step, 20 * step + 20), batch);
    trainer.step(batch.sequences(), batch.targets());
  }
}

TEST(Evaluator, ADecoderIsScoredLabelByLabelItsAccuracyRunningFreely) {
  Fixture f(tasks::AutoencodeTask{.longest = 4, .symbols = 3});
  train_a_little(f);
  Score score = f.evaluator.score(Split::kTest, numbers(0, 7));
  score += f.evaluator.score(Split::kTest, numbers(7, 40));

  Plain led, free;
  Session session(f.model);
  datasets::Batch batch;
  for (std::int64_t i = 0; i < 40; ++i) {
    f.dataset->fill(Split::kTest, std::vector{i}, batch);
    std::vector<float> y(static_cast<std::size_t>(batch.target_steps) * 4);
    const auto count = [&](Plain& sum) {
      for (std::size_t t = 0; t < y.size() / 4; ++t) {
        count_answer(std::span(y).subspan(4 * t, 4), batch.classes[t], sum);
      }
    };
    session.loss(batch.sequences(), batch.targets(), y);
    count(led);
    session.run(batch.sequences(), y);
    count(free);
  }
  EXPECT_EQ(static_cast<double>(score.answers), free.answers);
  EXPECT_NEAR(score.loss, led.loss, 1e-4 * led.loss);
  EXPECT_EQ(static_cast<double>(score.right), free.right);
  EXPECT_NE(led.right, free.right);
}

TEST(Evaluator, NumbersHaveNoAccuracy) {
  Fixture f(tasks::AddingTask{.steps = 10});
  const Score score = f.evaluator.score(Split::kTest, numbers(0, 40));
  const Metric metric = to_metric(score, Loss::kSquaredError, 5, "test");
  EXPECT_FALSE(metric.accuracy.has_value());
  EXPECT_EQ(metric.unit, "mse");
}

// Nearly all targets are blanks, so the accuracy would say little.
TEST(Evaluator, CopyingHasNoAccuracy) {
  Fixture f(tasks::CopyTask{.remember = 2, .delay = 5, .symbols = 3, .delimiter_places = 5});
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
}  // namespace rwa::training

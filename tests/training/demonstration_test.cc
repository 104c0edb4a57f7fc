// tests/training/demonstration_test.cc: each demonstration task is learnt by a network with the
// feature it needs, and not by one without it that is trained in the same way.
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "rwa/trainer.h"
#include "training/evaluation.h"
#include "training/experiment.h"

namespace rwa::training {
namespace {

constexpr std::int64_t kTestSamples = 100;
constexpr double kLearned = 0.95;
constexpr double kNotLearned = 0.85;

// Returns the accuracy on the first test samples after training.
double accuracy(const tasks::Task& task, const Network& network, const Training& training) {
  const Experiment experiment{.name = "demonstration", .task = task, .network = network};
  const auto dataset = tasks::open_task(task, experiment.seed, {});
  Model model(model_config(experiment, dataset->shape()));
  Trainer trainer(model, {.learning_rate = training.learning_rate, .clip_norm = 1});
  std::vector<std::int64_t> samples(static_cast<std::size_t>(training.batch));
  datasets::Batch batch;
  for (std::int64_t step = 0; step < training.steps; ++step) {
    std::iota(samples.begin(), samples.end(), step * training.batch);
    dataset->fill(datasets::Split::kTrain, samples, batch);
    trainer.step(batch.sequences(), batch.targets());
  }
  samples.resize(kTestSamples);
  std::iota(samples.begin(), samples.end(), 0);
  Evaluator evaluator(model, *dataset, {});
  const Score score = evaluator.score(datasets::Split::kTest, samples);
  return to_metric(score, dataset->shape().loss, training.steps, "test").accuracy.value();
}

// Without forgetting, a network fails on more episodes than it was trained with.
TEST(Demonstration, CopyingAgainAndAgainNeedsForgetting) {
  const tasks::MultiCopyTask task{
      .episodes = 4, .test_episodes = 40, .remember = 2, .delay = 3, .symbols = 4};
  const Training training{.steps = 1000, .batch = 20, .learning_rate = 5e-3};
  EXPECT_GT(accuracy(task, {.cell = Cell::kRwaForget, .units = 32, .lasting = 0}, training),
            kLearned);
  EXPECT_LT(accuracy(task, {.cell = Cell::kRwa, .units = 32}, training), kNotLearned);
}

// Both networks have about the same number of parameters.
TEST(Demonstration, AnExclusiveOrAtEveryStepNeedsTwoLayers) {
  const tasks::XorTask task{.steps = 24, .bits = 6};
  const Training training{.steps = 1500, .batch = 50, .learning_rate = 1e-2};
  EXPECT_GT(accuracy(task, {.units = 16, .layers = 2}, training), kLearned);
  EXPECT_LT(accuracy(task, {.units = 28, .layers = 1}, training), kNotLearned);
}

TEST(Demonstration, LookingAheadNeedsBothDirections) {
  const tasks::LookAheadTask task{.steps = 12, .ahead = 2, .symbols = 4};
  const Training training{.steps = 500, .batch = 50, .learning_rate = 5e-3};
  EXPECT_GT(accuracy(task, {.units = 24, .bidirectional = true}, training), kLearned);
  EXPECT_LT(accuracy(task, {.units = 48}, training), kNotLearned);
}

TEST(Demonstration, SayingASequenceAgainNeedsACodeForIt) {
  const tasks::AutoencodeTask task{.longest = 4, .symbols = 4};
  const Training training{.steps = 1000, .batch = 50, .learning_rate = 5e-3};
  EXPECT_GT(accuracy(task, {.units = 32, .code = 16}, training), kLearned);
  EXPECT_LT(accuracy(task, {.units = 32, .code = 1}, training), kNotLearned);
}

TEST(Demonstration, SpellingNumbersNeedsACodeForThem) {
  const tasks::SpellingTask task{.numbers = 3, .digits = 2, .base = 3};
  const Training training{.steps = 1500, .batch = 50, .learning_rate = 5e-3};
  Network network{.cell = Cell::kRwaForget, .units = 32, .layers = 0, .code = 16};
  EXPECT_GT(accuracy(task, network, training), kLearned);
  network.code = 1;
  EXPECT_LT(accuracy(task, network, training), kNotLearned);
}

}  // namespace
}  // namespace rwa::training

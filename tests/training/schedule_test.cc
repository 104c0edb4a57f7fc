#include "training/schedule.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include "rwa/errors.h"
#include "rwa/trainer.h"
#include "training/drifting.h"
#include "training/loop_testing.h"

namespace rwa::training {
namespace {

using io::expect_error;
using io::TempFolder;

TEST(LearningRate, OfEverySchedule) {
  Training training{.steps = 100, .learning_rate = 0.5};
  EXPECT_EQ(learning_rate(training, 0, 0), 0.5);
  EXPECT_EQ(learning_rate(training, 99, 7), 0.5);
  training.schedule = Schedule::kPlateau;
  EXPECT_EQ(learning_rate(training, 50, 0), 0.5);
  EXPECT_DOUBLE_EQ(learning_rate(training, 50, 1), 0.15);
  EXPECT_DOUBLE_EQ(learning_rate(training, 0, 3), 0.0135);
  training.schedule = Schedule::kCosine;
  EXPECT_DOUBLE_EQ(learning_rate(training, 0, 0), 0.5);
  EXPECT_DOUBLE_EQ(learning_rate(training, 25, 0),
                   0.5 * (0.01 + 0.99 * (1 + std::numbers::sqrt2 / 2) / 2));
  EXPECT_DOUBLE_EQ(learning_rate(training, 50, 0), 0.5 * 0.505);
  EXPECT_NEAR(learning_rate(training, 99, 0), 0.005, 0.00013);
  EXPECT_DOUBLE_EQ(learning_rate(training, 100, 0), 0.005);
}

// Returns the numbers of evaluations without improvement after which the rate is reduced.
std::vector<int> reductions(int patience, Schedule schedule = Schedule::kPlateau) {
  Experiment experiment = drifting_experiment();
  experiment.training.schedule = schedule;
  experiment.evaluation.patience = patience;
  std::vector<int> found;
  for (int without = 0; without <= patience; ++without) {
    if (is_reduced(experiment, without)) found.push_back(without);
  }
  return found;
}

TEST(Plateau, ReducesAfterAThirdOfPatience) {
  EXPECT_EQ(reductions(10), (std::vector{3, 6, 9}));
  EXPECT_EQ(reductions(6), (std::vector{2, 4, 6}));
  EXPECT_EQ(reductions(3), (std::vector{1, 2, 3}));
  EXPECT_EQ(reductions(2), (std::vector{1, 2}));
  EXPECT_TRUE(reductions(10, Schedule::kConstant).empty());
  EXPECT_TRUE(reductions(10, Schedule::kCosine).empty());
}

// Repeats the steps of a run by definition, with the learning rate of each step.
std::vector<float> weights_after(const Experiment& e, const std::vector<double>& rates) {
  const Drifting dataset;
  Model model(model_config(e, dataset.shape()));
  Trainer trainer(model);
  std::vector<std::int64_t> samples(static_cast<std::size_t>(e.training.batch));
  datasets::Batch batch;
  for (std::size_t step = 0; step < rates.size(); ++step) {
    dataset.draw(e.seed, static_cast<std::int64_t>(step * samples.size()), samples);
    dataset.fill(datasets::Split::kTrain, samples, batch);
    trainer.set_learning_rate(rates[step]);
    trainer.step(batch.sequences(), batch.targets());
  }
  return {model.weights().begin(), model.weights().end()};
}

std::vector<float> weights_of(const std::filesystem::path& file) {
  const Model model = Model::load(file);
  return {model.weights().begin(), model.weights().end()};
}

TEST(Run, EveryStepHasTheRateOfItsSchedule) {
  Experiment cosine = drifting_experiment();
  cosine.training.schedule = Schedule::kCosine;
  cosine.training.steps = 20;
  cosine.evaluation.patience = 0;
  std::vector<double> rates;
  for (int step = 0; step < 20; ++step) {
    rates.push_back(0.02 * (0.01 + 0.99 * (1 + std::cos(std::numbers::pi * step / 20)) / 2));
  }
  for (const bool overlap : {false, true}) {
    const TempFolder folder;
    run_quietly(cosine, folder.path(),
                {.overlap = overlap, .dataset = std::make_shared<Drifting>()});
    EXPECT_EQ(weights_of(folder.path() / kModelFile), weights_after(cosine, rates));
  }
}

// Compares the weights in the checkpoint, which are the last ones, not the best.
TEST(Run, OnAPlateauTheRateIsReduced) {
  Experiment plateau = drifting_experiment();
  plateau.training.schedule = Schedule::kPlateau;
  plateau.evaluation.patience = 6;
  for (const bool overlap : {false, true}) {
    const TempFolder folder;
    run_quietly(plateau, folder.path(),
                {.overlap = overlap, .dataset = std::make_shared<Drifting>()});
    const Record record = read_run(folder.path());
    std::vector<double> rates;
    double rate = 0.02, best = 1e9;
    int in_a_row = 0, count = 0;
    for (const Metric& metric : record.metrics) {
      if (metric.split != "valid") continue;
      in_a_row = metric.loss < best ? 0 : in_a_row + 1;
      best = std::min(best, metric.loss);
      if (in_a_row == 2) {
        rate *= 0.3;
        in_a_row = 0;
        ++count;
      }
      rates.insert(rates.end(), static_cast<std::size_t>(plateau.evaluation.every), rate);
    }
    rates.resize(static_cast<std::size_t>(record.steps));
    EXPECT_GE(count, 3);
    Model model(model_config(plateau, Drifting().shape()));
    Trainer trainer(model);
    const State state = restore(read_checkpoint(folder.path() / kCheckpointFile), model, trainer);
    EXPECT_EQ(state.reductions, count);
    EXPECT_EQ(std::vector(model.weights().begin(), model.weights().end()),
              weights_after(plateau, rates));
  }
}

TEST(Run, APlateauNeedsPatience) {
  Experiment experiment = drifting_experiment();
  experiment.training.schedule = Schedule::kPlateau;
  experiment.evaluation.patience = 0;
  const TempFolder folder;
  expect_error<ConfigError>([&] { check(experiment, folder.path()); },
                            {folder.path().string(), "schedule is plateau and patience is 0"});
}

// Every rate depends on the number of steps, so that changing it makes another experiment.
TEST(Run, ACosineHasItsNumberOfSteps) {
  Experiment experiment = drifting_experiment();
  experiment.training.schedule = Schedule::kCosine;
  experiment.training.steps = 6;
  const How how{.dataset = std::make_shared<Drifting>()};
  const TempFolder folder;
  run_quietly(experiment, folder.path(), how);
  experiment.training.steps = 12;
  expect_error<ConfigError>([&] { run_quietly(experiment, folder.path(), how); },
                            {"another experiment", "training.steps: 6 there, 12 here"});
}

}  // namespace
}  // namespace rwa::training

// tests/training/ending_test.cc: what a run is scored on, when it ends, and with which weights.
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "rwa/errors.h"
#include "training/drifting.h"
#include "training/evaluation.h"
#include "training/loop_testing.h"

namespace rwa::training {
namespace {

namespace fs = std::filesystem;
using io::expect_error;
using io::TempFolder;

How with(Drifting::Sizes sizes) { return {.dataset = std::make_shared<Drifting>(sizes)}; }
How with_all() { return with({}); }

// Returns the splits and steps of the metrics: "valid0 train3 valid3 …".
std::string lines_of(const fs::path& folder) {
  std::string lines;
  for (const Metric& metric : read_run(folder).metrics) {
    lines += fmt::format("{}{} ", metric.split, metric.step);
  }
  return lines;
}

std::vector<float> weights_of(const fs::path& folder) {
  const Model model = Model::load(folder / kModelFile);
  return {model.weights().begin(), model.weights().end()};
}

// Returns the loss over all samples of a split, in one batch.
double loss_of(const Model& model, const datasets::Dataset& dataset, datasets::Split split) {
  std::vector<std::int64_t> samples(static_cast<std::size_t>(dataset.size(split)));
  std::iota(samples.begin(), samples.end(), 0);
  const Score score = Evaluator(model, dataset, {}).score(split, samples);
  return to_metric(score, dataset.shape().loss, 0, "").loss;
}

Experiment short_experiment() {
  Experiment experiment = drifting_experiment();
  experiment.training.steps = 5;
  experiment.evaluation.patience = 0;
  return experiment;
}

TEST(Validation, AllOfItIsScoredEveryTime) {
  const TempFolder folder;
  const How how = with_all();
  ASSERT_EQ(run_quietly(short_experiment(), folder.path(), how), Outcome::kFinished);
  EXPECT_EQ(lines_of(folder.path()), "valid0 train3 valid3 train5 valid5 final5 ");
  const Record record = read_run(folder.path());
  EXPECT_EQ(record.end, End::kSteps);
  EXPECT_FALSE(record.best_step.has_value());
  const Model first(model_config(short_experiment(), how.dataset->shape()));
  EXPECT_NEAR(record.metrics.front().loss, loss_of(first, *how.dataset, datasets::Split::kValid),
              1e-6);
  const Model last = Model::load(folder.path() / kModelFile);
  EXPECT_NEAR(record.metrics[4].loss, loss_of(last, *how.dataset, datasets::Split::kValid), 1e-6);
  EXPECT_NEAR(record.metrics[5].loss, loss_of(last, *how.dataset, datasets::Split::kTest), 1e-6);
  EXPECT_NE(record.metrics[4].loss, record.metrics[5].loss);
}

TEST(Validation, WithoutTestSamplesTheEndIsScoredOnIt) {
  const TempFolder folder;
  run_quietly(short_experiment(), folder.path(), with({.test = 0}));
  EXPECT_EQ(lines_of(folder.path()), "valid0 train3 valid3 train5 valid5 final5 ");
  const Record record = read_run(folder.path());
  EXPECT_EQ(record.metrics[5].loss, record.metrics[4].loss);
}

TEST(Validation, WithoutItOnlyGeneratedTasksDrawTestSamples) {
  const TempFolder of_files, generated;
  Experiment experiment = short_experiment();
  run_quietly(experiment, of_files.path(), with({.valid = 0}));
  EXPECT_EQ(lines_of(of_files.path()), "train3 train5 final5 ");
  experiment.task = tasks::GrammarTask{};
  run_quietly(experiment, generated.path(), with({.valid = 0}));
  EXPECT_EQ(lines_of(generated.path()), "test0 train3 test3 train5 test5 final5 ");
}

TEST(Validation, ARunMayHaveNothingToBeScoredOn) {
  const TempFolder folder;
  const How how = with({.valid = 0, .test = 0});
  ASSERT_EQ(run_quietly(short_experiment(), folder.path(), how), Outcome::kFinished);
  EXPECT_EQ(lines_of(folder.path()), "train3 train5 ");
  EXPECT_EQ(read_run(folder.path()).status, Status::kFinished);
  EXPECT_EQ(final_of(read_run(folder.path())), nullptr);
  EXPECT_TRUE(fs::exists(folder.path() / kModelFile));
  EXPECT_EQ(run_quietly(short_experiment(), folder.path(), how), Outcome::kAlreadyFinished);
}

TEST(Validation, PatienceNeedsIt) {
  const TempFolder folder;
  const auto refuse = [&](const auto& attempt) {
    expect_error<ConfigError>(
        attempt, {folder.path().string(), "patience is 4, expected 0", "no validation set"});
  };
  refuse([&] { run_quietly(drifting_experiment(), folder.path(), with({.valid = 0})); });
  Experiment adding = small_adding();
  adding.evaluation.patience = 4;
  refuse([&] { check(adding, folder.path()); });
  EXPECT_EQ(folder.count(), 0U);
}

TEST(Patience, EndsARunWithItsBestWeights) {
  const TempFolder folder, until_best;
  const How how = with_all();
  ASSERT_EQ(run_quietly(drifting_experiment(), folder.path(), how), Outcome::kFinished);
  const Record record = read_run(folder.path());
  Metric best;
  best.loss = 1e9;
  for (const Metric& metric : record.metrics) {
    if (metric.split == "valid" && metric.loss < best.loss) best = metric;
  }
  EXPECT_GT(best.step, 3);
  EXPECT_EQ(record.best_step, best.step);
  EXPECT_EQ(record.end, End::kPatience);
  EXPECT_EQ(record.steps, best.step + 4 * 3);
  EXPECT_LT(record.steps, 90);

  Experiment shorter = drifting_experiment();
  shorter.training.steps = best.step;
  shorter.evaluation.patience = 0;
  run_quietly(shorter, until_best.path(), how);
  EXPECT_EQ(weights_of(folder.path()), weights_of(until_best.path()));
  ASSERT_NE(final_of(record), nullptr);
  EXPECT_EQ(final_of(record)->step, record.steps);
  EXPECT_EQ(final_of(record)->loss, final_of(read_run(until_best.path()))->loss);
}

TEST(Patience, TheLastStepEndsWithTheBestWeightsToo) {
  const How how = with_all();
  const TempFolder whole, cut;
  run_quietly(drifting_experiment(), whole.path(), how);
  Experiment shorter = drifting_experiment();
  shorter.training.steps = read_run(whole.path()).steps - 2;
  run_quietly(shorter, cut.path(), how);
  EXPECT_EQ(read_run(cut.path()).end, End::kSteps);
  EXPECT_EQ(read_run(cut.path()).best_step, read_run(whole.path()).best_step);
  EXPECT_EQ(weights_of(cut.path()), weights_of(whole.path()));
}

TEST(Patience, AnEvaluationBecauseTheRunEndsMayBeTheBest) {
  Experiment experiment = drifting_experiment();
  experiment.training.steps = 5;
  const TempFolder folder;
  run_quietly(experiment, folder.path(), with_all());
  EXPECT_EQ(read_run(folder.path()).best_step, 5);
}

TEST(Patience, WhatRanOutOfItStaysFinished) {
  const How how = with_all();
  const TempFolder folder;
  run_quietly(drifting_experiment(), folder.path(), how);
  const auto before = contents(folder.path());
  Experiment longer = drifting_experiment();
  longer.training.steps = 1000;
  EXPECT_TRUE(check(longer, folder.path()));
  EXPECT_EQ(run_quietly(longer, folder.path(), how), Outcome::kAlreadyFinished);
  EXPECT_EQ(contents(folder.path()), before);
  Experiment shorter = drifting_experiment();
  shorter.training.steps = 6;
  expect_error<ConfigError>([&] { check(shorter, folder.path()); }, {"more than the 6 requested"});
}

TEST(Patience, WithoutALowerLossNothingIsBetter) {
  Best best;
  EXPECT_FALSE(best.is_known());
  best.see(0, 2.0, std::vector{1.0f});
  best.see(3, 2.0, std::vector{2.0f});
  EXPECT_EQ(best.step, 0);
  EXPECT_EQ(best.evaluations_without, 1);
  best.see(6, 2.5, std::vector{3.0f});
  EXPECT_EQ(best.evaluations_without, 2);
  EXPECT_EQ(best.weights, std::vector{1.0f});
  best.see(9, 1.5, std::vector{4.0f});
  EXPECT_EQ(best.step, 9);
  EXPECT_EQ(best.loss, 1.5);
  EXPECT_EQ(best.evaluations_without, 0);
  EXPECT_EQ(best.weights, std::vector{4.0f});
}

// At least one step is done, and the run ends as if it had been configured with that many steps.
TEST(TimeBudget, EndsARunInGoodOrder) {
  for (const bool overlap : {false, true}) {
    How how = with_all();
    how.overlap = overlap;
    const TempFolder folder, whole, cut;
    const Options hurry{.checkpoint_seconds = kNever, .time_budget = 1e-9};
    ASSERT_EQ(run_with(drifting_experiment(), folder.path(), how, hurry), Outcome::kFinished);
    const Record record = read_run(folder.path());
    EXPECT_EQ(record.status, Status::kFinished);
    EXPECT_EQ(record.end, End::kTime);
    EXPECT_GE(record.steps, 1);
    EXPECT_LE(record.steps, 2);  // one step may be submitted ahead
    Experiment shorter = drifting_experiment();
    shorter.training.steps = record.steps;
    run_quietly(shorter, cut.path(), how);
    EXPECT_EQ(io::get(folder.path() / kMetricsFile), io::get(cut.path() / kMetricsFile));
    EXPECT_EQ(io::get(folder.path() / kModelFile), io::get(cut.path() / kModelFile));

    // Running it again does nothing; with more steps and time it continues.
    EXPECT_EQ(run_quietly(drifting_experiment(), folder.path(), how), Outcome::kAlreadyFinished);
    Experiment longer = drifting_experiment();
    longer.training.steps = 91;
    ASSERT_EQ(run_quietly(longer, folder.path(), how), Outcome::kFinished);
    EXPECT_EQ(read_run(folder.path()).end, End::kPatience);
    run_quietly(longer, whole.path(), how);
    expect_same_run(folder.path(), whole.path());
  }
}

TEST(TimeBudget, WhoGivesMoreTimeGoesOn) {
  const How how = with_all();
  const TempFolder folder, whole;
  const auto within = [](double seconds) {
    return Options{.checkpoint_seconds = kNever, .time_budget = seconds};
  };
  ASSERT_EQ(run_with(drifting_experiment(), folder.path(), how, within(1e-9)), Outcome::kFinished);
  EXPECT_EQ(run_with(drifting_experiment(), folder.path(), how, within(1e-9)),
            Outcome::kAlreadyFinished);
  ASSERT_EQ(run_with(drifting_experiment(), folder.path(), how, within(1e9)), Outcome::kFinished);
  EXPECT_EQ(read_run(folder.path()).end, End::kPatience);
  run_quietly(drifting_experiment(), whole.path(), how);
  EXPECT_EQ(weights_of(folder.path()), weights_of(whole.path()));
}

TEST(TimeBudget, CountsTheTimeBeforeACheckpoint) {
  const How how = with_all();
  const TempFolder folder;
  ASSERT_EQ(run_until(drifting_experiment(), folder.path(), 7, how), Outcome::kInterrupted);
  const State state = read_checkpoint(folder.path() / kCheckpointFile).state;
  const Options hurry{.time_budget = state.train_seconds + state.evaluate_seconds};
  ASSERT_EQ(run_with(drifting_experiment(), folder.path(), how, hurry), Outcome::kFinished);
  EXPECT_EQ(read_run(folder.path()).end, End::kTime);
  EXPECT_EQ(read_run(folder.path()).steps, 7);
}

TEST(TimeBudget, MustBeATime) {
  const TempFolder folder;
  for (const double seconds : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
    expect_error<ConfigError>(
        [&] {
          run_with(drifting_experiment(), folder.path(), with_all(), {.time_budget = seconds});
        },
        {"the time budget is", "expected more than 0"});
  }
  EXPECT_EQ(folder.count(), 0U);
}

TEST(Run, TheModelHasTheNotesOfItsData) {
  const How how = with_all();
  const TempFolder folder;
  run_until(drifting_experiment(), folder.path(), 7, how);
  run_quietly(drifting_experiment(), folder.path(), how);
  EXPECT_EQ(Model::load(folder.path() / kModelFile).notes(), how.dataset->notes());
}

// A network that does not fit the data is reported, with the folder, before anything is written.
TEST(Run, TheDataAreHeldAgainstTheNetwork) {
  Experiment experiment = drifting_experiment();
  experiment.network.readout = Readout::kEvery;
  const TempFolder folder;
  const fs::path made = folder.path() / "new";
  EXPECT_FALSE(check(experiment, made));
  expect_error<ConfigError>([&] { run_quietly(experiment, made, with_all()); },
                            {made.string() + ": readout is every"});
  experiment = drifting_experiment();
  experiment.network.bidirectional = true;
  experiment.training.truncate = 2;
  expect_error<ConfigError>([&] { run_quietly(experiment, made, with_all()); },
                            {made.string() + ": ", "truncate"});
  EXPECT_EQ(folder.count(), 0U);
}

}  // namespace
}  // namespace rwa::training

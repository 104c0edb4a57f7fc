// tests/training/divergence_test.cc: divergence is detected, and the last good checkpoint stays.
#include <filesystem>

#include <gtest/gtest.h>

#include "rwa/errors.h"
#include "training/loop_testing.h"

namespace rwa::training {
namespace {

using io::expect_error;
using io::TempFolder;

// Adam and tanh keep all values finite: only the loss shows the divergence.
void expect_divergence(Experiment experiment, bool overlap) {
  experiment.training.steps = 100;
  experiment.training.learning_rate = 1e6;
  const TempFolder folder;
  const auto attempt = [&] {
    run(experiment, folder.path(), {.overlap = overlap, .checkpoint_seconds = 0}, {});
  };
  expect_error<DivergenceError>(attempt, {"diverged at step 11", "for 10 steps in a row"});
  const Record record = read_run(folder.path());
  EXPECT_EQ(record.status, Status::kDiverged);
  EXPECT_EQ(record.steps, 11);
  // The loss of step 1 is that of the initial weights, so the weights after it are the last good
  // ones.
  const Checkpoint good = read_checkpoint(folder.path() / kCheckpointFile);
  EXPECT_EQ(good.state.step, 1);
  expect_error<DivergenceError>(attempt, {"diverged at step 11"});
  EXPECT_EQ(read_checkpoint(folder.path() / kCheckpointFile).state.step, 1);
}

TEST(Divergence, ALearningRateOfAMillionIsCaught) {
  for (const Experiment& experiment : {small_adding(), small_grammar(), small_copy()}) {
    for (const bool overlap : {false, true}) expect_divergence(experiment, overlap);
  }
}

TEST(Divergence, InterruptedCountingGoesOn) {
  Experiment experiment = small_adding();
  experiment.training.steps = 100;
  experiment.training.learning_rate = 1e6;
  const TempFolder folder;
  EXPECT_EQ(run_until(experiment, folder.path(), 6), Outcome::kInterrupted);
  const Record record = read_run(folder.path());
  EXPECT_EQ(record.status, Status::kInterrupted);
  EXPECT_EQ(record.steps, 6);
  // It resumes from the last good weights and takes the same steps again.
  EXPECT_EQ(read_checkpoint(folder.path() / kCheckpointFile).state.step, 0);
  expect_error<DivergenceError>([&] { run_quietly(experiment, folder.path()); },
                                {"diverged at step 11"});
}

TEST(Divergence, TheEndOfARunIsKeptEvenWhileItCounts) {
  Experiment experiment = small_adding();
  experiment.training.steps = 6;
  experiment.training.learning_rate = 1e6;
  const TempFolder folder;
  EXPECT_EQ(run_quietly(experiment, folder.path()), Outcome::kFinished);
  EXPECT_EQ(read_checkpoint(folder.path() / kCheckpointFile).state.step, 6);
  experiment.training.steps = 100;
  expect_error<DivergenceError>([&] { run_quietly(experiment, folder.path()); },
                                {"diverged at step 11"});
}

TEST(Divergence, NumbersThatAreNotFiniteAreCaught) {
  Experiment experiment = small_adding();
  experiment.training.learning_rate = 1e29;
  for (const bool overlap : {false, true}) {
    const TempFolder folder;
    expect_error<DivergenceError>(
        [&] { run_quietly(experiment, folder.path(), {.overlap = overlap}); },
        {"diverged at step 2", "not finite"});
    const Record record = read_run(folder.path());
    EXPECT_EQ(record.status, Status::kDiverged);
    EXPECT_EQ(record.steps, 1);
    EXPECT_EQ(read_checkpoint(folder.path() / kCheckpointFile).state.step, 0);
  }
}

}  // namespace
}  // namespace rwa::training

// tests/training/ranks_test.cc: a run of several ranks writes the same files as a run of one
// process, and any number of ranks can resume it.
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "rwa/errors.h"
#include "support/thread_ranks.h"
#include "training/drifting.h"
#include "training/loop_testing.h"

namespace rwa::training {
namespace {

namespace fs = std::filesystem;
using io::TempFolder;

constexpr std::int64_t kToTheEnd = std::numeric_limits<std::int64_t>::max();

// Runs each rank on a thread; the last rank gets the signal.
Outcome run_on(int ranks, const Experiment& experiment, const fs::path& folder,
               std::int64_t until = kToTheEnd, const How& how = {}) {
  std::atomic<int> interrupted = 0;
  cases::run_ranks(ranks, [&](Link& link) {
    std::atomic<bool> stop{false};
    const Options options{
        .checkpoint_seconds = kNever, .stop = [&stop] { return stop.load(); }, .link = &link};
    const Listener listener = [&](const Progress& progress) {
      stop = link.rank() == ranks - 1 && progress.step >= until;
    };
    if (run_with(experiment, folder, how, options, listener) == Outcome::kInterrupted) {
      ++interrupted;
    }
  });
  EXPECT_TRUE(interrupted == 0 || interrupted == ranks) << interrupted;
  return interrupted == 0 ? Outcome::kFinished : Outcome::kInterrupted;
}

// Includes a run that ends by early stopping, and batches that leave some ranks without rows.
std::vector<std::pair<Experiment, How>> runs() {
  Experiment few = small_autoencode(Cell::kLstm);
  few.training.batch = 3;
  Experiment parts = small_grammar();  // its sequences end in different parts
  parts.training.truncate = 4;
  const auto drifting = std::make_shared<Drifting>();
  return {{small_grammar(), {}},
          {small_autoencode(), {}},
          {few, {}},
          {parts, {}},
          {drifting_experiment(), {.dataset = drifting}}};
}

TEST(RunOfRanks, HasTheFilesOfOneProcess) {
  for (const auto& [experiment, how] : runs()) {
    const TempFolder alone;
    ASSERT_EQ(run_quietly(experiment, alone.path(), how), Outcome::kFinished);
    for (const int ranks : {1, 2, 4}) {
      SCOPED_TRACE(ranks);
      const TempFolder together;
      ASSERT_EQ(run_on(ranks, experiment, together.path(), kToTheEnd, how), Outcome::kFinished);
      expect_same_run(together.path(), alone.path());
    }
  }
}

// With more than 8 ranks the order of sums differs.
TEST(RunOfRanks, OfMoreThanEightIsNearIt) {
  const TempFolder alone, together;
  ASSERT_EQ(run_quietly(small_adding(), alone.path()), Outcome::kFinished);
  ASSERT_EQ(run_on(11, small_adding(), together.path()), Outcome::kFinished);
  const auto expected = Model::load(alone.path() / kModelFile);
  const auto found = Model::load(together.path() / kModelFile);
  for (std::size_t i = 0; i < expected.weights().size(); ++i) {
    ASSERT_NEAR(found.weights()[i], expected.weights()[i], 1e-6) << i;
  }
}

TEST(RunOfRanks, GoesOnWithAnotherNumberOfThem) {
  const Experiment experiment = small_grammar();
  const TempFolder alone, together;
  ASSERT_EQ(run_quietly(experiment, alone.path()), Outcome::kFinished);
  ASSERT_EQ(run_on(2, experiment, together.path(), 3), Outcome::kInterrupted);
  EXPECT_EQ(read_run(together.path()).steps, 3);
  ASSERT_EQ(run_on(4, experiment, together.path(), 9), Outcome::kInterrupted);
  ASSERT_EQ(run_until(experiment, together.path(), 13), Outcome::kInterrupted);
  ASSERT_EQ(run_on(3, experiment, together.path()), Outcome::kFinished);
  expect_same_run(together.path(), alone.path());
  EXPECT_EQ(run_on(2, experiment, together.path()), Outcome::kFinished);  // it stays finished
}

TEST(RunOfRanks, EndsOnAllOfThemWhenItDiverges) {
  Experiment experiment = small_adding();
  experiment.training.learning_rate = 1e29;
  const TempFolder folder;
  cases::run_ranks(3, [&](Link& link) {
    EXPECT_THROW(run(experiment, folder.path(), {.link = &link}, {}), DivergenceError);
  });
  EXPECT_EQ(read_run(folder.path()).status, Status::kDiverged);
}

// Only rank 0 sees that the folder has another experiment; the others must not wait for it.
TEST(RunOfRanks, IsRefusedByRankZero) {
  const TempFolder folder;
  ASSERT_EQ(run_quietly(small_adding(), folder.path()), Outcome::kFinished);
  EXPECT_THROW(run_on(3, small_grammar(), folder.path()), ConfigError);
}

}  // namespace
}  // namespace rwa::training

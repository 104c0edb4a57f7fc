// tests/training/resume_test.cc: a run that is stopped at any step resumes bit for bit.
#include <memory>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "training/drifting.h"
#include "training/loop_testing.h"

namespace rwa::training {
namespace {

namespace fs = std::filesystem;
using io::TempFolder;

// With truncation, a step of the run is several steps of the optimiser.
Experiment small_copy_in_parts() {
  Experiment experiment = small_copy();
  experiment.training.truncate = 3;
  return experiment;
}

Experiment small_adding_with_a_stem() {
  Experiment experiment = small_adding();
  experiment.network.stem = "3,2";
  experiment.network.channels = 4;
  return experiment;
}

class ResumeOf : public ::testing::TestWithParam<Experiment> {};

TEST_P(ResumeOf, GivesTheBitsOfOneGo) {
  const TempFolder whole;
  run_quietly(GetParam(), whole.path());
  for (const How& how : {How{1, false}, How{2, false}, How{1, true}}) {
    for (const std::int64_t k : {0, 1, 4, 7, 16, 17, 18}) {
      SCOPED_TRACE(fmt::format("{} threads{}, stopped after step {}", how.threads,
                               how.overlap ? ", overlapped" : "", k));
      const TempFolder folder;
      ASSERT_EQ(run_until(GetParam(), folder.path(), k, how), Outcome::kInterrupted);
      const Record record = read_run(folder.path());
      EXPECT_EQ(record.status, Status::kInterrupted);
      // A pending step is completed too; none is pending at an evaluation.
      const bool one_more = how.overlap && k % 4 != 0 && k < 18;
      EXPECT_EQ(record.steps, k + (one_more ? 1 : 0));
      EXPECT_FALSE(fs::exists(folder.path() / kModelFile));
      ASSERT_EQ(run_quietly(GetParam(), folder.path(), how), Outcome::kFinished);
      expect_same_run(folder.path(), whole.path());
    }
  }
}

TEST_P(ResumeOf, AfterEveryStepGivesTheBitsOfOneGo) {
  const TempFolder whole;
  run_quietly(GetParam(), whole.path());
  for (const bool overlap : {false, true}) {
    const TempFolder folder;
    for (std::int64_t k = 0; k <= 18; ++k) {
      ASSERT_EQ(run_until(GetParam(), folder.path(), k, {.overlap = overlap}),
                Outcome::kInterrupted);
    }
    ASSERT_EQ(run_quietly(GetParam(), folder.path(), {.overlap = overlap}), Outcome::kFinished);
    expect_same_run(folder.path(), whole.path());
  }
}

TEST_P(ResumeOf, MoreStepsLaterGiveTheBitsOfOneGo) {
  for (const std::int64_t first : {1, 8, 10, 17}) {
    SCOPED_TRACE(first);
    Experiment shorter = GetParam();
    shorter.training.steps = first;
    const TempFolder whole, folder;
    run_quietly(GetParam(), whole.path());
    ASSERT_EQ(run_quietly(shorter, folder.path()), Outcome::kFinished);
    ASSERT_EQ(run_quietly(GetParam(), folder.path()), Outcome::kFinished);
    expect_same_run(folder.path(), whole.path());
  }
}

INSTANTIATE_TEST_SUITE_P(, ResumeOf,
                         ::testing::Values(small_adding(Cell::kRwa), small_adding(Cell::kLstm),
                                           small_copy(Cell::kRwa), small_copy_in_parts(),
                                           small_grammar(Cell::kLstm), small_autoencode(),
                                           small_adding_with_a_stem()));

// Covers all state of a run: best weights, learning-rate reductions, truncation.
TEST(Resume, AtAnyStepGivesTheBitsOfOneGo) {
  const auto dataset = std::make_shared<Drifting>();
  int patient = 0, impatient = 0;
  EXPECT_TRUE(rc::check([&] {
    Experiment experiment = drifting_experiment();
    experiment.training.schedule =
        *rc::gen::element(Schedule::kConstant, Schedule::kPlateau, Schedule::kCosine);
    experiment.training.truncate = *rc::gen::element(0, 2, 4);
    experiment.training.steps = *rc::gen::inRange(1, 60);
    experiment.evaluation.every = *rc::gen::inRange(1, 6);
    experiment.evaluation.patience = *rc::gen::inRange(1, 7);
    const How how{.threads = 1, .overlap = *rc::gen::arbitrary<bool>(), .dataset = dataset};

    const TempFolder whole, folder;
    RC_ASSERT(run_quietly(experiment, whole.path(), how) == Outcome::kFinished);
    const Record record = read_run(whole.path());
    ++(record.end == End::kPatience ? impatient : patient);
    const int first = *rc::gen::inRange(0, static_cast<int>(record.steps) + 1);
    const int second = *rc::gen::inRange(first, static_cast<int>(record.steps) + 1);
    RC_ASSERT(run_until(experiment, folder.path(), first, how) == Outcome::kInterrupted);
    RC_ASSERT(run_until(experiment, folder.path(), second, how) == Outcome::kInterrupted);
    RC_ASSERT(run_quietly(experiment, folder.path(), how) == Outcome::kFinished);
    expect_same_run(folder.path(), whole.path());
    RC_ASSERT(!::testing::Test::HasFailure());
  }));
  EXPECT_GT(patient, 0);
  EXPECT_GT(impatient, 0);
}

// The extra evaluation at the end of the shorter run does not count.
TEST(Resume, MoreStepsLaterFindTheSameBest) {
  const How how{.dataset = std::make_shared<Drifting>()};
  Experiment longer = drifting_experiment();
  longer.training.schedule = Schedule::kPlateau;
  const TempFolder whole;
  ASSERT_EQ(run_quietly(longer, whole.path(), how), Outcome::kFinished);
  ASSERT_EQ(read_run(whole.path()).end, End::kPatience);
  for (std::int64_t steps = 1; steps < read_run(whole.path()).steps; ++steps) {
    SCOPED_TRACE(steps);
    Experiment shorter = longer;
    shorter.training.steps = steps;
    const TempFolder folder;
    ASSERT_EQ(run_quietly(shorter, folder.path(), how), Outcome::kFinished);
    EXPECT_EQ(read_run(folder.path()).end, End::kSteps);
    ASSERT_EQ(run_quietly(longer, folder.path(), how), Outcome::kFinished);
    expect_same_run(folder.path(), whole.path());
  }
}

}  // namespace
}  // namespace rwa::training

// tests/workflows/refit_test.cc: tests the model that cross-validation leaves.
#include "workflows/refit.h"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "io/io_testing.h"
#include "io/read_file.h"
#include "training/run_folder.h"
#include "workflows/untrained_models.h"

namespace rwa::workflows {
namespace {

using training::Overrides;
using training::Schedule;

class RefitTest : public ::testing::Test {
 protected:
  RefitTest() { io::put(folder_.path() / "data.csv", long_table(40, Target::kClass)); }

  [[nodiscard]] std::filesystem::path out() const { return folder_.path() / "out"; }
  [[nodiscard]] Plan made(const std::string& toml, int repeat = 1) const {
    auto settings = Overrides::parse(
        "task.train = ['" + (folder_.path() / "data.csv").string() + "']\n[network]\nunits = 4\n",
        "test");
    settings.add(Overrides::parse(toml, "test"));
    return plan({.settings = settings, .repeat = repeat, .out = out()}, datasets::Reading{});
  }

  io::TempFolder folder_;
  training::QueueObserver nobody_;
};

TEST_F(RefitTest, TrainsOnAllDataForTheEpochsOfTheMedianFold) {
  const std::string early = "task.folds = 3\nevaluation.patience = 4\n";
  const Plan folds = made(early);
  const PlannedRun run = plan_refit(folds, {{90}, {10}, {40}});
  EXPECT_EQ(run.experiment.training.steps, 123);                     // 40 × 40 / 13 sequences
  EXPECT_EQ(run.experiment.training.schedule, Schedule::kConstant);  // plateau needs validation
  EXPECT_EQ(run.experiment.evaluation.patience, 0);
  EXPECT_EQ(run.files->size(datasets::Split::kTrain), 40);
  EXPECT_EQ(run.folder, out() / "all");
  EXPECT_EQ(plan_refit(folds, {{0}, {0}, {0}}).experiment.training.steps, 1);
  EXPECT_EQ(plan_refit(made(early + "training.schedule = 'constant'"), {{1}, {1}, {1}})
                .experiment.training.schedule,
            Schedule::kConstant);
}

TEST_F(RefitTest, WithoutEarlyStoppingTrainsAsTheFoldsDid) {
  const PlannedRun run =
      plan_refit(made("task.folds = 3\ntraining.steps = 70"), {{70}, {70}, {70}});
  EXPECT_EQ(run.experiment.training.steps, 70);
  EXPECT_EQ(run.experiment.training.schedule, Schedule::kCosine);
  EXPECT_EQ(run.files->size(datasets::Split::kTrain), 40);
}

TEST_F(RefitTest, IsForAllFolds) {
  EXPECT_TRUE(is_refitted(made("task.folds = 3")));
  EXPECT_TRUE(is_refitted(made("task.folds = 2", 2)));
  EXPECT_FALSE(is_refitted(made("task.split = 0.2", 3)));
  EXPECT_FALSE(is_refitted(made("[task]\nfolds = 3\nfold = 1", 2)));
}

TEST_F(RefitTest, LeavesAModelAndAReportWithTheScoreOfTheFolds) {
  for (const char* folds : {"2", "3"}) {
    const Plan plan = made(std::string("[task]\nfolds = ") + folds + "\n[training]\nsteps = 6");
    auto result = train(plan, {}, nobody_);
    const auto left = refit(plan, result, {}, nobody_);
    ASSERT_TRUE(left.has_value());
    EXPECT_TRUE(left->expected.starts_with("accuracy ")) << left->expected;
    EXPECT_NE(left->expected.find(" ± "), std::string::npos);
    const Model model = Model::load(out() / training::kModelFile);
    EXPECT_TRUE(std::ranges::equal(model.weights(),
                                   Model::load(out() / "all" / training::kModelFile).weights()));
    const std::string page = io::read_text(out() / kReportFile);
    EXPECT_NE(page.find("<dt>Expected</dt><dd>" + left->expected), std::string::npos);
    EXPECT_NE(page.find("Cross-validation"), std::string::npos);
    std::filesystem::remove_all(out());
  }
}

// The configuration of the last run repeats it, bit for bit.
TEST_F(RefitTest, ItsConfigurationRepeatsIt) {
  const Plan plan = made("[task]\nfolds = 3\n[training]\nsteps = 6");
  auto result = train(plan, {}, nobody_);
  ASSERT_TRUE(refit(plan, result, {}, nobody_).has_value());
  TrainRequest again{.settings = read_config(out() / "all" / training::kConfigFile, {})};
  const auto repeated = train(workflows::plan(again, datasets::Reading{}), {}, nobody_);
  ASSERT_EQ(repeated.runs.size(), 1U);
  EXPECT_TRUE(std::ranges::equal(repeated.runs.front().store->model().weights(),
                                 Model::load(out() / training::kModelFile).weights()));
}

TEST_F(RefitTest, ResumesAfterAnInterruption) {
  const std::string settings = "[task]\nfolds = 3\n[training]\nsteps = 8\n[evaluation]\nevery = 1";
  struct Stopping final : training::QueueObserver {
    void progress(std::size_t, const training::Progress& progress) override { at = progress.step; }
    std::int64_t at = 0;
  } stopping;
  const auto weights = [&] { return Model::load(out() / training::kModelFile); };
  auto whole = train(made(settings), {}, nobody_);
  ASSERT_TRUE(refit(made(settings), whole, {}, nobody_).has_value());
  const Model expected = weights();
  std::filesystem::remove_all(out());

  auto folds = train(made(settings), {}, nobody_);
  const TrainOptions stop{.stop = [&] { return stopping.at >= 1; }};
  EXPECT_THROW((void)refit(made(settings), folds, stop, stopping), training::Interrupted);
  EXPECT_FALSE(std::filesystem::exists(out() / training::kModelFile));
  auto resumed = train(made(settings), {}, nobody_);
  ASSERT_TRUE(refit(made(settings), resumed, {}, nobody_).has_value());
  EXPECT_TRUE(std::ranges::equal(weights().weights(), expected.weights()));
}

}  // namespace
}  // namespace rwa::workflows

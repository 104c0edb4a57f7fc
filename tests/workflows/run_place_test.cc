// tests/workflows/run_place_test.cc: tests which folder a training without --out takes.
#include "workflows/run_place.h"

#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "io/io_testing.h"
#include "training/run_folder.h"

namespace rwa::workflows {
namespace {

namespace fs = std::filesystem;

class RunPlaceTest : public ::testing::Test {
 protected:
  RunPlaceTest() {
    std::string table = "id,x,label\n";
    for (int i = 0; i < 20; ++i) {
      table += std::to_string(i) + ",0.5," + (i % 2 == 0 ? "even" : "odd") + "\n";
    }
    io::put(data_, table);
  }

  Plan plan(const std::string& toml = "", int repeat = 1, const fs::path& below = {}) {
    TrainRequest request;
    request.settings = training::Overrides::parse(
        "task.train = ['" + data_.string() + "']\n" + toml, "given.toml");
    request.repeat = repeat;
    Plan made = plan_below(parent_, request, below);
    EXPECT_EQ(made.out, request.out);
    return made;
  }
  std::string folder(const std::string& toml = "", int repeat = 1, const fs::path& below = {}) {
    return plan(toml, repeat, below).out.lexically_relative(parent_).string();
  }
  // As a run does when it begins.
  static void begin(const PlannedRun& run) {
    (void)run.store->lock();
    run.store->set_experiment(run.experiment);
  }

  io::TempFolder temp_;
  fs::path data_ = temp_.path() / "parity.csv", parent_ = temp_.path() / "runs";
};

TEST_F(RunPlaceTest, IsNamedAfterTheData) {
  EXPECT_EQ(folder(), "parity");
  EXPECT_EQ(folder("name = 'other'"), "other");
  EXPECT_EQ(plan().runs.front().folder, parent_ / "parity" / "fold-1");
}

TEST_F(RunPlaceTest, OtherSettingsOrDataGoToAFolderOfTheirOwn) {
  begin(plan().runs.front());
  EXPECT_EQ(folder(), "parity");
  EXPECT_EQ(folder("network.units = 3"), "parity-2");
  begin(plan("network.units = 3").runs.front());
  EXPECT_EQ(folder("network.units = 3"), "parity-2");
  EXPECT_EQ(folder("training.epochs = 3"), "parity-3");
  io::put(data_, io::get(data_) + "20,0.5,even\n");
  EXPECT_EQ(folder(), "parity-3");
}

TEST_F(RunPlaceTest, SeveralRunsDoNotMixWithOne) {
  begin(plan().runs.front());
  const Plan folds = plan("task.folds = 3");
  EXPECT_EQ(folds.out, parent_ / "parity-2");
  EXPECT_EQ(folds.runs.back().folder, parent_ / "parity-2" / "fold-3");
  begin(folds.runs.front());
  EXPECT_EQ(folder("task.folds = 3"), "parity-2");
  EXPECT_EQ(folder("", 2), "parity-3");
}

TEST_F(RunPlaceTest, ASearchFindsItsOwnCandidates) {
  EXPECT_EQ(folder("", 1, "candidate-0"), "parity");
  Plan search = plan("", 1, "candidate-0");
  place(search.out, "candidate-0/fold-1", search.runs.front());
  begin(search.runs.front());
  EXPECT_EQ(folder("", 1, "candidate-0"), "parity");
  EXPECT_EQ(folder(), "parity-2");
}

TEST_F(RunPlaceTest, AForeignFolderIsLeftAlone) {
  fs::create_directories(parent_ / "parity");
  EXPECT_EQ(folder(), "parity");
  io::put(parent_ / "parity" / "notes.txt", "mine");
  EXPECT_EQ(folder(), "parity-2");
  io::put(parent_ / "parity-2", "");  // an empty file
  EXPECT_EQ(folder(), "parity-3");
}

}  // namespace
}  // namespace rwa::workflows

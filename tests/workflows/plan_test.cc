#include "workflows/plan.h"

#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "datasets/files_testing.h"
#include "io/io_testing.h"
#include "rwa/errors.h"

namespace rwa::workflows {
namespace {

using training::Overrides;

constexpr int kSequences = 50;

// Sequences of two classes, with one step each.
std::shared_ptr<const datasets::Files> files(const Overrides& settings) {
  const auto experiment = experiment_of(settings);
  datasets::MemoryFiles told{.schema = datasets::one_feature(formats::Target::kClass), .files = {}};
  for (int i = 0; i < kSequences; ++i) {
    told.files["train"].push_back(
        {.x = {static_cast<float>(i)}, .labels = {i % 2 == 0 ? "even" : "odd"}});
  }
  return told.open(std::get<datasets::FilesTask>(experiment.task), experiment.seed);
}

Overrides given(const std::string& toml = "") {
  auto settings = Overrides::parse("task.train = ['train']", "the program");
  settings.add(Overrides::parse(toml, "given.toml"));
  return settings;
}

Plan plan_of(const std::string& toml, TrainRequest request = {}) {
  request.settings = given(toml);
  return plan(request, files(request.settings));
}

training::Experiment experiment_for(const std::string& toml) {
  return plan_of(toml).runs.front().experiment;
}

TEST(Plan, StepsAndEpochsAreOneSetting) {
  io::expect_error<ConfigError>([] { (void)experiment_for("[training]\nsteps = 3\nepochs = 4"); },
                                {"epochs and steps"});
  io::expect_error<ConfigError>([] { (void)experiment_for("training.epochs = 0"); },
                                {"epochs is 0, expected a number of more than 0"});
  Overrides below = given("training.steps = 3");
  below.add(Overrides::parse("training.epochs = 2", "above"));
  EXPECT_FALSE(below.has("training.steps"));
}

TEST(Plan, FoldsAndSeedsHaveFoldersOfTheirOwn) {
  const auto folders = [](const std::string& toml, int repeat) {
    const io::TempFolder out;
    std::vector<std::string> names;
    for (const PlannedRun& run : plan_of(toml, {.repeat = repeat, .out = out.path()}).runs) {
      names.push_back(std::filesystem::relative(run.folder, out.path()).string());
    }
    return names;
  };
  using Names = std::vector<std::string>;
  const std::string split = "task.split = 0.2\n";
  EXPECT_EQ(folders(split, 1), (Names{"."}));
  EXPECT_EQ(folders(split + "seed = 4", 2), (Names{"seed-4", "seed-5"}));
  EXPECT_EQ(folders("task.folds = 3", 1), (Names{"fold-1", "fold-2", "fold-3"}));
  EXPECT_EQ(folders("task.folds = 3", 2),
            (Names{"fold-1/seed-1", "fold-1/seed-2", "fold-2/seed-1", "fold-2/seed-2",
                   "fold-3/seed-1", "fold-3/seed-2"}));
}

TEST(Plan, SeveralRunsDoNotReplaceASingleOne) {
  const io::TempFolder out;
  io::put(out.path() / "config.toml", "");
  EXPECT_EQ(plan_of("task.split = 0.2", {.out = out.path()}).runs.size(), 1U);
  io::expect_error<ConfigError>([&] { (void)plan_of("", {.out = out.path()}); },
                                {out.path().string(), "already holds a single run (config.toml)",
                                 "these are 5 runs: use another --out"});
}

TEST(Plan, SeedsShareTheSplitOfTheFirst) {
  const Plan made = plan_of("seed = 4", {.repeat = 2});
  for (const PlannedRun& run : made.runs) {
    EXPECT_EQ(std::get<datasets::FilesTask>(run.experiment.task).split_seed, 4U);
  }
  EXPECT_EQ(made.runs[1].experiment.seed, 5U);
}

TEST(Plan, WithoutAFolderNothingIsWritten) {
  const Plan made = plan_of("");
  EXPECT_TRUE(made.runs.front().folder.empty());
  EXPECT_EQ(made.runs.front().store->name(), "the training");
}

// defaults < data < configuration file < options
TEST(Config, OptionsComeBeforeTheFile) {
  const io::TempFolder folder;
  const auto file = folder.path() / "config.toml";
  io::put(file,
          "[task]\nkind = 'files'\ntrain = ['theirs']\nwindow = 5\nsha256 = 'abc'\n"
          "[network]\nunits = 3\nlayers = 2\n[training]\nsteps = 8\n");
  const auto from = [&](const std::string& options) {
    return experiment_of(read_config(file, Overrides::parse(options, "options")));
  };
  const auto task = [](const training::Experiment& experiment) {
    return std::get<datasets::FilesTask>(experiment.task);
  };
  // The file applies without options, and options apply without new data.
  EXPECT_EQ(task(from("")).train, std::vector<std::string>{"theirs"});
  EXPECT_EQ(task(from("task.window = 7")).window, 7);
  EXPECT_EQ(task(from("task.window = 7")).sha256, "abc");
  EXPECT_EQ(from("network.units = 9").network.units, 9);
  EXPECT_EQ(from("network.units = 9").network.layers, 2);
  // Other data keeps the rest of [task], except for the checksum.
  EXPECT_EQ(task(from("task.train = ['mine']")).train, std::vector<std::string>{"mine"});
  EXPECT_EQ(task(from("task.train = ['mine']")).window, 5);
  EXPECT_EQ(task(from("task.train = ['mine']")).sha256, "");
  EXPECT_EQ(from("training.epochs = 2").training.steps, 0);
}

// A configuration as a run writes it: the model named after its cell, and its own fold.
TEST(Config, OfARunKeepsItsFoldButNotTheNameOfAnotherCell) {
  const io::TempFolder folder;
  const auto file = folder.path() / "config.toml";
  const auto from = [&](const std::string& toml, const std::string& options) {
    io::put(file, toml);
    TrainRequest request{.settings = given()};
    request.settings.add(Overrides::parse(options, "options"));
    request.settings = read_config(file, request.settings);
    return plan(request, files(request.settings));
  };
  const std::string named = "model = 'rwa'\nnetwork.cell = 'rwa'\n";
  EXPECT_EQ(model_name(from(named, "network.cell = 'lstm'").runs.front().experiment), "lstm");
  EXPECT_EQ(model_name(from("model = 'mine'", "").runs.front().experiment), "mine");

  const Plan one = from("[task]\nfolds = 3\nfold = 1", "");
  ASSERT_EQ(one.runs.size(), 1U);
  EXPECT_EQ(std::get<datasets::FilesTask>(one.runs.front().experiment.task).fold, 1);
  EXPECT_EQ(one.runs.front().title, "train");
  EXPECT_EQ(from("[task]\nfolds = 3\nfold = 1", "task.folds = 4").runs.size(), 4U);
  EXPECT_EQ(from("[task]\nfolds = 0\nfold = 0", "task.folds = 4").runs.size(), 4U);
  // Validation data that is asked for is instead of them.
  const auto folds_of = [&](const std::string& options) {
    const Plan made = from("[task]\nfolds = 3\nfold = 3", options);
    return std::get<datasets::FilesTask>(made.runs.front().experiment.task).folds;
  };
  EXPECT_EQ(folds_of("task.split = 0.5"), 0);
  EXPECT_EQ(folds_of("task.split = 0.0"), 3);
  EXPECT_EQ(folds_of(""), 3);
}

TEST(Config, OfATaskWithoutFilesIsRefused) {
  io::expect_error<ConfigError>(
      [] { (void)experiment_of(Overrides::parse("task.kind = 'adding'", "x.toml")); },
      {"the task \"adding\"", "expected one for files"});
  io::expect_error<ConfigError>([] { (void)experiment_of({}); }, {"no data to train on"});
}

}  // namespace
}  // namespace rwa::workflows

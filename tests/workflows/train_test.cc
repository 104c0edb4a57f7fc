#include "workflows/train.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "io/io_testing.h"
#include "io/read_file.h"
#include "rwa/errors.h"
#include "training/run_folder.h"
#include "workflows/defaults.h"
#include "workflows/predict.h"
#include "workflows/trained.h"
#include "workflows/untrained_models.h"

namespace rwa::workflows {
namespace {

using training::Overrides;

class Train : public ::testing::Test {
 protected:
  // Runs in an empty folder, so that stray files show.
  Train() {
    io::put(data(), long_table(40, Target::kClass));
    std::filesystem::current_path(empty_.path());
  }
  ~Train() override {
    std::filesystem::current_path("/");
    ::unsetenv("TMPDIR");
  }

  // From here on the test has no folder for temporary files.
  static void forbid_temporary_files() { ::setenv("TMPDIR", "/nowhere", 1); }

  [[nodiscard]] std::filesystem::path data() const { return folder_.path() / "data.csv"; }
  // The same sequences in a file of their own.
  [[nodiscard]] std::filesystem::path copy_of_data() const {
    const auto copy = folder_.path() / "copy.csv";
    std::filesystem::copy_file(data(), copy);
    return copy;
  }
  [[nodiscard]] TrainRequest request(const std::string& toml = "") const {
    auto settings = Overrides::parse(
        "task.train = ['" + data().string() +
            "']\ntask.split = 0.2\n[network]\nstem = 'none'\nunits = 4\n[training]\nsteps = 12",
        "test");
    settings.add(Overrides::parse(toml, "test"));
    return {.settings = settings};
  }
  [[nodiscard]] Plan made(const TrainRequest& request) const {
    return plan(request, datasets::Reading{});
  }
  [[nodiscard]] std::size_t files_written() const { return empty_.count() + folder_.count() - 1; }

  io::TempFolder folder_, empty_;
  training::QueueObserver nobody_;
};

TEST_F(Train, WithoutAFolderNothingIsWritten) {
  forbid_temporary_files();
  const auto result = train(made(request()), {}, nobody_);
  ASSERT_EQ(result.runs.size(), 1U);
  EXPECT_EQ(result.runs.front().store->record().steps, 12);
  EXPECT_EQ(result.runs.front().store->record().status, training::Status::kFinished);
  EXPECT_TRUE(result.runs.front().scores.has_value());
  EXPECT_EQ(files_written(), 0U);
}

TEST_F(Train, AFolderAndMemoryHaveTheSameBits) {
  const io::TempFolder out;
  TrainRequest to_folder = request();
  to_folder.out = out.path() / "run";
  const auto one = train(made(to_folder), {}, nobody_).runs.front().store;
  const auto other = train(made(request()), {}, nobody_).runs.front().store;
  const Model model = one->model(), in_memory = other->model();
  EXPECT_TRUE(std::ranges::equal(model.weights(), in_memory.weights()));
  EXPECT_EQ(model.notes(), in_memory.notes());
  EXPECT_EQ(one->record().metrics, other->record().metrics);
  EXPECT_TRUE(std::filesystem::exists(out.path() / "run" / kReportFile));
}

// The scores come from the last evaluation, and equal those of the model loaded from its store.
TEST_F(Train, ScoresAreThoseOfTheModel) {
  for (const char* toml : {"", "task.window = 3", "evaluation.samples = 3",
                           "[task]\nfeatures = ['u', 'v']\ntask = 'next-step'"}) {
    const Plan runs = made(request(toml));
    const auto result = train(runs, {}, nobody_);
    Model model = result.runs.front().store->model();
    auto encoding = encoding_of(model, "the model");
    const Scores again = score({std::move(model), std::move(encoding)},
                               samples_of(*runs.files, datasets::Split::kValid), {});
    EXPECT_EQ(to_json(*result.runs.front().scores), to_json(again)) << toml;
    EXPECT_EQ(result.runs.front().store->record().metrics.back().accuracy, again.accuracy);
  }
}

TEST_F(Train, AFinishedRunIsScoredAgain) {
  const io::TempFolder out;
  TrainRequest to_folder = request();
  to_folder.out = out.path() / "run";
  const auto first = train(made(to_folder), {}, nobody_);
  const auto second = train(made(to_folder), {}, nobody_);
  EXPECT_EQ(to_json(*first.runs.front().scores), to_json(*second.runs.front().scores));
}

TEST_F(Train, TheBestOfSeveralSeedsBecomesTheModel) {
  const io::TempFolder out;
  TrainRequest seeds = request();
  seeds.repeat = 3;
  seeds.out = out.path() / "runs";
  const auto result = train(made(seeds), {}, nobody_);
  ASSERT_TRUE(result.best.has_value());
  const double best = *best_in_validation(*result.runs[*result.best].store);
  for (const TrainedRun& run : result.runs) EXPECT_LE(best, *best_in_validation(*run.store));
  const Model kept = Model::load(seeds.out / training::kModelFile);
  EXPECT_TRUE(
      std::ranges::equal(kept.weights(), result.runs[*result.best].store->model().weights()));
  const report::Table table = summary(result.runs);
  ASSERT_EQ(table.rows.size(), 6U);  // and their mean, and the baselines
  EXPECT_EQ(table.rows[4].front().text, "baseline: majority class");
  EXPECT_EQ(table.rows[5].front().text, "baseline: 1-NN");
}

// One step is too few to learn what a neighbour knows: every sequence occurs in both sets.
TEST_F(Train, AModelThatIsNotBetterThanABaselineIsSaidToBe) {
  const io::TempFolder out;
  const auto run = [&](const std::string& test, const std::string& name) {
    TrainRequest to_folder = request("[task]\nsplit = 0.0" + test + "\n[training]\nsteps = 1");
    to_folder.out = out.path() / name;
    return remark(train(made(to_folder), {}, nobody_).runs);
  };
  const std::string said = run("\ntest = ['" + copy_of_data().string() + "']", "bad");
  EXPECT_EQ(said, "not better than 1-NN (100.0 %): try --stem 15,9, more --steps, or rwa tune");
  const auto file = [&](std::string_view name) { return io::read_text(out.path() / "bad" / name); };
  EXPECT_NE(file(kReportFile).find("The model is " + said + "."), std::string::npos);
  EXPECT_NE(file("run.json").find("\"remark\": \"" + said + "\""), std::string::npos);
  EXPECT_NE(file("run.json").find("\"name\": \"majority class\""), std::string::npos);
  EXPECT_EQ(training::read_run(out.path() / "bad").status, training::Status::kFinished);
  EXPECT_EQ(run("", "unscored"), "");
}

TEST_F(Train, TheTestSetIsScoredOnceAtTheEnd) {
  const auto result =
      train(made(request("[task]\nsplit = 0.0\ntest = ['" + copy_of_data().string() + "']")), {},
            nobody_);
  std::vector<std::string> splits;
  for (const training::Metric& metric : result.runs.front().store->record().metrics) {
    if (metric.split != "train") splits.push_back(metric.split);
  }
  EXPECT_EQ(splits, std::vector<std::string>{"final"});
}

// Multi-label sequences may have no label at all, and so all that are held out.
TEST_F(Train, HeldOutSequencesMayHaveNoLabels) {
  const auto table = folder_.path() / "labels.tsv";
  std::string text = "id\ttext\tlabels\n0\tabb\tp|q\n";
  for (int i = 1; i < 10; ++i) text += std::to_string(i) + "\tba\t\n";
  io::put(table, text);
  const auto result =
      train(made(request("[task]\nid = 'id'\ntrain = ['" + table.string() + "']")), {}, nobody_);
  EXPECT_TRUE(result.runs.front().scores.has_value());
}

TEST_F(Train, FoldsAreScoredEachOnItsOwn) {
  const auto result = train(made(request("task.folds = 4")), {.jobs = 2}, nobody_);
  EXPECT_FALSE(result.best.has_value());
  ASSERT_EQ(result.runs.size(), 4U);
  std::int64_t tested = 0;
  for (const TrainedRun& run : result.runs) tested += run.scores->sequences;
  EXPECT_EQ(tested, 40);
}

TEST_F(Train, EndsWhenTheCallerWantsIt) {
  int told = 0;
  struct Counting final : training::QueueObserver {
    explicit Counting(int& count) : told(count) {}
    void progress(std::size_t, const training::Progress& progress) override {
      told = static_cast<int>(progress.step);
    }
    int& told;
  } counting(told);
  const auto result = train(made(request("training.steps = 1000000")),
                            {.finish = [&] { return told >= 3; }}, counting);
  const training::Record record = result.runs.front().store->record();
  EXPECT_EQ(record.end, training::End::kRequest);
  EXPECT_EQ(record.steps, 3);
  EXPECT_TRUE(result.runs.front().scores.has_value());
}

TEST_F(Train, DivergenceIsTold) {
  const auto result = train(made(request("training.learning_rate = 1e15")), {}, nobody_);
  ASSERT_EQ(result.diverged.size(), 1U);
  EXPECT_TRUE(result.runs.empty());
  io::expect_error<DivergenceError>([&] { throw_if_diverged(result.diverged, 1); },
                                    {"training diverged at step"});
  io::expect_error<DivergenceError>([&] { throw_if_diverged(result.diverged, 2); },
                                    {"1 of 2 runs diverged: data: training diverged"});
}

TEST_F(Train, ARunWithoutAModelSaysSo) {
  const Plan runs = made(request("training.learning_rate = 1e15"));
  (void)train(runs, {}, nobody_);
  io::expect_error<ResourceError>([&] { (void)runs.runs.front().store->model(); },
                                  {"the training has no model: its status is diverged"});
}

}  // namespace
}  // namespace rwa::workflows

#include "workflows/train.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "io/io_testing.h"
#include "io/read_file.h"
#include "rwa/errors.h"
#include "training/run_folder.h"
#include "workflows/defaults.h"
#include "workflows/predict.h"
#include "workflows/trained.h"
#include "workflows/tune.h"
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
                           "[task]\nfeatures = ['u', 'v']\ntask = 'forecast'"}) {
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
  const std::string said = run("\ntest = ['" + data().string() + "']", "bad");
  EXPECT_EQ(said, "not better than 1-NN (100.0 %): try --stem 15,9, more --steps, or rwa tune");
  const auto file = [&](const char* name) { return io::read_text(out.path() / "bad" / name); };
  EXPECT_NE(file(kReportFile).find("The model is " + said + "."), std::string::npos);
  EXPECT_NE(file("run.json").find("\"remark\": \"" + said + "\""), std::string::npos);
  EXPECT_NE(file("run.json").find("\"name\": \"majority class\""), std::string::npos);
  EXPECT_EQ(training::read_run(out.path() / "bad").status, training::Status::kFinished);
  EXPECT_EQ(run("", "unscored"), "");
}

TEST_F(Train, TheTestSetIsScoredOnceAtTheEnd) {
  const auto result =
      train(made(request("[task]\nsplit = 0.0\ntest = ['" + data().string() + "']")), {}, nobody_);
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

TEST(Rounds, KeepTheBetterThird) {
  using Counts = std::vector<int>;
  EXPECT_EQ(rounds(1), (Counts{1}));
  EXPECT_EQ(rounds(9), (Counts{9, 3, 1}));
  EXPECT_EQ(rounds(10), (Counts{10, 4, 2, 1}));
}

TEST(Candidates, TheFirstHasTheDefaultsAndTheOthersDiffer) {
  const datasets::Shape shape{.input = Input::kSymbols, .inputs = 4};
  const auto experiment = [&](std::uint64_t seed, int number) {
    auto made = default_experiment();
    candidate(shape, seed, number).apply(made);
    return made;
  };
  EXPECT_EQ(experiment(1, 0), default_experiment());
  EXPECT_EQ(experiment(1, 1), experiment(1, 1));
  EXPECT_NE(experiment(1, 1), experiment(1, 2));
  EXPECT_NE(experiment(1, 1), experiment(2, 1));
}

// Candidates must not change between builds, so that results can be reproduced.
TEST(Candidates, AreAlwaysTheSame) {
  auto made = default_experiment();
  candidate({.input = Input::kNumbers}, 1, 2).apply(made);
  EXPECT_EQ(in_words(made),
            "rwa-forget, 32 units, 2 layers, attention readout, dropout 0.5, learning rate 0.0023, "
            "batch 32");
  made.network.stem = "9,5";
  made.network.layers = 1;
  EXPECT_EQ(in_words(made),
            "rwa-forget, 32 units, stem 9,5 of 64 channels, attention readout, dropout 0.5, "
            "learning rate 0.0023, batch 32");
}

TEST_F(Train, TuningRanksItsCandidates) {
  TuneObserver nobody;
  const TrainRequest given = request("network.cell = 'gru'");
  const auto candidates = tune(given, made(given), {.candidates = 4, .time_budget = 0.5}, nobody);
  ASSERT_EQ(candidates.size(), 4U);
  for (const Candidate& each : candidates) {
    EXPECT_EQ(each.run.experiment.network.cell, Cell::kGru);  // given, so not searched
    EXPECT_EQ(each.run.experiment.network.units, 4);
    EXPECT_LE(candidates.front().loss, each.loss);
    EXPECT_EQ(each.loss, best_in_validation(*each.run.store));
  }
  EXPECT_EQ(files_written(), 0U);
}

// Dropout acts between layers: a network with a single one refuses it.
TEST_F(Train, TuningDrawsDropoutOnlyBetweenLayers) {
  TuneObserver nobody;
  for (const std::string settings : {"", "network.layers = 1", "network.layers = 2"}) {
    const TrainRequest given = request(settings);
    const auto candidates = tune(given, made(given), {.candidates = 9, .time_budget = 0.1}, nobody);
    ASSERT_EQ(candidates.size(), 9U);
    bool any = false;
    for (const Candidate& each : candidates) {
      const training::Network& network = each.run.experiment.network;
      EXPECT_TRUE(network.layers > 1 || network.dropout == 0);
      any = any || network.dropout > 0;
    }
    EXPECT_EQ(any, settings != "network.layers = 1");
  }
  const TrainRequest both = request("network.layers = 1\nnetwork.dropout = 0.5");
  io::expect_error<ConfigError>([&] { (void)tune(both, made(both), {}, nobody); },
                                {"dropout is 0.5, expected 0 with fewer than 2 layers"});
}

// Sequences cut by --truncate cannot be read backwards or averaged.
TEST_F(Train, TuningDrawsNoNetworkThatCannotBeTruncated) {
  TuneObserver nobody;
  const TrainRequest given = request("training.truncate = 2");
  EXPECT_EQ(tune(given, made(given), {.candidates = 9, .time_budget = 0.1}, nobody).size(), 9U);
}

TEST_F(Train, CandidatesFitIntoMemory) {
  TrainRequest given = request();
  given.settings.remove("network.units");
  const Plan plan = made(given);
  const auto large = make_candidates(given, plan, 9, {.bytes = std::size_t{1} << 40});
  ASSERT_EQ(large.size(), 9U);
  const auto most = [&](const std::vector<Candidate>& all) {
    std::size_t bytes = 0;
    for (const Candidate& each : all) {
      const training::Experiment& experiment = each.run.experiment;
      const auto network = model_config(experiment, plan.files->shape());
      bytes = std::max(bytes, training_memory(network, plan.files->shape().longest,
                                              experiment.training.batch, each.run.memory));
    }
    return bytes;
  };
  const auto smaller = make_candidates(given, plan, 9, {.bytes = most(large) - 1});
  EXPECT_LT(most(smaller), most(large));
  EXPECT_EQ(smaller.size(), 9U);
  // Even a batch of one sequence is too large for the largest networks, but not for the first.
  const auto network = model_config(plan.runs.front().experiment, plan.files->shape());
  const std::size_t least =
      training_memory(network, plan.files->shape().longest, 1, Memory::kChunked);
  const auto few = make_candidates(given, plan, 9, {.bytes = least});
  EXPECT_LT(few.size(), 9U);
  EXPECT_EQ(few.front().number, 0);
}

TEST_F(Train, CandidatesThatDivergeAreNotTheBest) {
  TuneObserver nobody;
  const TrainRequest given = request("training.learning_rate = 1e15");
  io::expect_error<DivergenceError>(
      [&] { (void)tune(given, made(given), {.candidates = 2, .time_budget = 0.5}, nobody); },
      {"all candidates diverged"});
}

TEST_F(Train, ARunWithoutAModelSaysSo) {
  const Plan runs = made(request("training.learning_rate = 1e15"));
  (void)train(runs, {}, nobody_);
  io::expect_error<ResourceError>([&] { (void)runs.runs.front().store->model(); },
                                  {"the training has no model: its status is diverged"});
}

TEST_F(Train, TuningNeedsValidation) {
  TuneObserver nobody;
  const TrainRequest given = request("task.split = 0.0");
  io::expect_error<ConfigError>(
      [&] { (void)tune(given, made(given), {}, nobody); },
      {"tuning needs validation data: use --valid, or a --split above 0"});
  const TrainRequest folds = request("task.folds = 3");
  io::expect_error<ConfigError>([&] { (void)tune(folds, made(folds), {}, nobody); },
                                {"found folds, expected none"});
}

}  // namespace
}  // namespace rwa::workflows

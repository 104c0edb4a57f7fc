// tests/workflows/tune_test.cc: tests the search for good settings: its races, what it leaves, and
// that it finds what the defaults miss.
#include "workflows/tune.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "io/io_testing.h"
#include "io/read_file.h"
#include "rwa/errors.h"
#include "training/run_folder.h"
#include "workflows/tune_folds.h"
#include "workflows/tune_space.h"
#include "workflows/untrained_models.h"

namespace rwa::workflows {
namespace {

using training::Overrides;

class Tune : public ::testing::Test {
 protected:
  Tune() { io::put(data(), long_table(40, Target::kClass)); }

  [[nodiscard]] std::filesystem::path data() const { return folder_.path() / "data.csv"; }
  [[nodiscard]] std::filesystem::path out() const { return folder_.path() / "out"; }
  // Small and short, so that 40 sequences have five folds.
  [[nodiscard]] TrainRequest request(const std::string& toml = "") const {
    auto settings = Overrides::parse(
        "task.train = ['" + data().string() + "']\n[network]\nunits = 4\n[training]\nsteps = 4",
        "test");
    settings.add(Overrides::parse(toml, "test"));
    return {.settings = settings};
  }
  [[nodiscard]] TrainRequest split(const std::string& toml = "") const {
    return request("task.split = 0.2\n" + toml);
  }
  static std::shared_ptr<const datasets::Files> files_of(const TrainRequest& request) {
    return plan(request, datasets::Reading{}).files;
  }
  TuneResult tuned(const TrainRequest& request, const TuneOptions& options) {
    return tune(request, files_of(request), options, nobody_);
  }
  static std::vector<int> numbers(const TuneResult& result) {
    std::vector<int> all;
    for (const Candidate& each : result.candidates) all.push_back(each.number);
    return all;
  }

  io::TempFolder folder_;
  TuneObserver nobody_;
};

constexpr double kNoLimit = 1e6;

TEST(Rounds, KeepTheBetterThird) {
  using Counts = std::vector<int>;
  EXPECT_EQ(rounds(1), (Counts{1}));
  EXPECT_EQ(rounds(9), (Counts{9, 3, 1}));
  EXPECT_EQ(rounds(10), (Counts{10, 4, 2, 1}));
}

TEST_F(Tune, OneSplitRanksCandidatesByTheirLoss) {
  const TrainRequest given = split("network.cell = 'gru'");
  const TuneResult result = tuned(given, {.candidates = 4, .time_budget = 0.5});
  ASSERT_EQ(result.candidates.size(), 4U);
  EXPECT_FALSE(result.has_folds);
  for (const Candidate& each : result.candidates) {
    EXPECT_EQ(each.experiment().network.cell, Cell::kGru);  // given, so not searched
    EXPECT_EQ(each.experiment().network.units, 4);
    EXPECT_LE(result.candidates.front().loss, each.loss);
    EXPECT_EQ(each.loss, best_in_validation(*each.plan.runs.front().store));
  }
  EXPECT_EQ(result.best->store, result.candidates.front().plan.runs.front().store);
  EXPECT_EQ(result.best->scores->sequences, 8);
  EXPECT_EQ(folder_.count(), 1U);  // nothing is written without a folder
}

TEST_F(Tune, OneSplitLeavesTheModelAndItsReport) {
  TrainRequest given = split();
  given.out = out();
  const TuneResult result = tuned(given, {.candidates = 3, .time_budget = 0.3});
  const auto best = out() / candidate_folder(result.candidates.front().number);
  for (const auto* name : {"model.safetensors", "report.html"}) {
    EXPECT_EQ(io::get(out() / name), io::get(best / name));
  }
}

TEST_F(Tune, CandidatesFitIntoMemory) {
  TrainRequest given = split("network.stem = 'none'");
  given.settings.remove("network.units");
  const auto files = files_of(given);
  const auto made = [&](std::size_t bytes) {
    return make_candidates(given, files, 9, nullptr, {.bytes = bytes});
  };
  const auto most = [&](const std::vector<Candidate>& all) {
    std::size_t bytes = 0;
    for (const Candidate& each : all) {
      const PlannedRun& run = each.plan.runs.front();
      const auto network = model_config(run.experiment, run.files->shape());
      bytes = std::max(bytes, training_memory(network, run.files->shape().longest,
                                              run.experiment.training.batch, run.memory));
    }
    return bytes;
  };
  const auto large = made(std::size_t{1} << 40);
  ASSERT_EQ(large.size(), 9U);
  const auto smaller = made(most(large) - 1);
  EXPECT_LT(most(smaller), most(large));
  EXPECT_EQ(smaller.size(), 9U);
  // Even a batch of one sequence is too large for the largest networks, but not for the first.
  const auto network = model_config(large.front().experiment(), files->shape());
  const auto few = made(training_memory(network, files->shape().longest, 1, Memory::kChunked));
  EXPECT_LT(few.size(), 9U);
  EXPECT_EQ(few.front().number, 0);
}

TEST_F(Tune, CandidatesThatDivergeAreNotTheBest) {
  for (const char* kind : {"task.split = 0.2\n", "task.folds = 2\n"}) {
    const TrainRequest given =
        request(kind + std::string("network.stem = 'none'\n[training]\nlearning_rate = 1e15\n"
                                   "steps = 20"));
    io::expect_error<DivergenceError>(
        [&] { (void)tuned(given, {.candidates = 2, .time_budget = 0.5}); },
        {"all candidates diverged"});
  }
}

TEST_F(Tune, NeedsHeldOutData) {
  io::expect_error<ConfigError>(
      [&] { (void)tuned(request("task.split = 0.0"), {}); },
      {"tuning needs validation data: use --valid, --folds, or a --split above 0"});
  io::expect_error<ConfigError>([&] { (void)tuned(request("[task]\nfolds = 3\nfold = 1"), {}); },
                                {"found a fold, expected none"});
}

TEST_F(Tune, FewSequencesRaceOverTheSameFolds) {
  const TuneResult result = tuned(request(), {.candidates = 7, .time_budget = kNoLimit});
  EXPECT_TRUE(result.has_folds);
  EXPECT_EQ(result.left_out, 0);
  ASSERT_EQ(result.candidates.size(), 7U);
  const Candidate& first = result.candidates.front();
  for (const Candidate& each : result.candidates) {
    EXPECT_EQ(each.runs.size(), each.held_out.size());
    for (std::size_t i = 0; i < std::min<std::size_t>(5, each.runs.size()); ++i) {
      const datasets::Files &ours = *each.plan.runs[i].files, &theirs = *first.plan.runs[i].files;
      formats::Sequence a, b;
      ASSERT_EQ(ours.size(datasets::Split::kTest), theirs.size(datasets::Split::kTest));
      ours.sample(datasets::Split::kTest, 0, a);
      theirs.sample(datasets::Split::kTest, 0, b);
      EXPECT_EQ(a.id, b.id);
    }
  }
  // Enough time for all folds, and more seeds of those that led.
  const auto runs = [&](std::size_t count) {
    return std::ranges::count(result.candidates, count,
                              [](const Candidate& each) { return each.runs.size(); });
  };
  EXPECT_EQ(runs(5) + runs(10) + runs(15) + runs(20), 7);
  EXPECT_GE(runs(5), 1);
  EXPECT_EQ(first.runs.size(), 20U);
  EXPECT_EQ(std::ranges::find(result.candidates, 0, &Candidate::number)->runs.size(), 20U);
}

TEST_F(Tune, ARaceOverFoldsRepeats) {
  const TuneOptions options{.candidates = 5, .time_budget = kNoLimit};
  TuneOptions together = options;
  together.train.threads = together.train.jobs = 4;
  const TuneResult once = tuned(request(), options), again = tuned(request(), together);
  EXPECT_EQ(numbers(once), numbers(again));
  EXPECT_TRUE(std::ranges::equal(once.best->store->model().weights(),
                                 again.best->store->model().weights()));
}

TEST_F(Tune, TheBestIsTrainedOnAllData) {
  TrainRequest given = request();
  given.out = out();
  const TuneResult result = tuned(given, {.candidates = 3, .time_budget = kNoLimit});
  EXPECT_TRUE(result.expected.starts_with("accuracy ")) << result.expected;
  const auto best = out() / candidate_folder(result.candidates.front().number);
  EXPECT_EQ(io::get(out() / training::kModelFile), io::get(best / "all" / training::kModelFile));
  EXPECT_NE(io::read_text(out() / kReportFile).find("<dt>Expected</dt><dd>" + result.expected),
            std::string::npos);
  const datasets::FilesTask task = training::files_task(result.best->store->record().experiment);
  EXPECT_EQ(task.fold, task.folds);
  // A second search of more candidates finds the first ones finished.
  EXPECT_EQ(tuned(given, {.candidates = 4, .time_budget = kNoLimit}).candidates.size(), 4U);
}

// Test data changes neither the folds nor the choice.
TEST_F(Tune, TestDataIsForTheLastScoreOnly) {
  const TuneOptions options{.candidates = 4, .time_budget = kNoLimit};
  const auto other = folder_.path() / "test.csv";
  io::put(other, long_table(9, Target::kClass, 5));
  const TuneResult without = tuned(request(), options);
  const TuneResult with = tuned(request("task.test = ['" + other.string() + "']"), options);
  EXPECT_EQ(numbers(with), numbers(without));
  EXPECT_FALSE(without.best->scores.has_value());
  EXPECT_EQ(with.best->scores->sequences, 9);
  for (std::size_t i = 0; i < with.candidates.size(); ++i) {
    const Candidate &a = with.candidates[i], &b = without.candidates[i];
    EXPECT_EQ(a.loss, b.loss);
    std::int64_t tested = 0;
    for (const HeldOut& held : a.held_out) tested += held.sequences;
    EXPECT_LE(tested, 40 * static_cast<std::int64_t>(a.held_out.size()) / 2);
  }
}

TEST_F(Tune, WithoutTimeTheDefaultsAreScoredAndTrained) {
  const TuneResult result = tuned(request(), {.candidates = 9, .time_budget = 1e-9});
  EXPECT_EQ(numbers(result), std::vector<int>{0});
  EXPECT_EQ(result.left_out, 8);
  EXPECT_EQ(result.candidates.front().runs.size(), 5U);
  EXPECT_TRUE(result.best.has_value());
}

TEST_F(Tune, FoldsAreObeyed) {
  const TuneResult two =
      tuned(request("task.folds = 2"), {.candidates = 4, .time_budget = kNoLimit});
  EXPECT_EQ(two.candidates.front().plan.runs.size(), 2U);
  EXPECT_GE(two.candidates.front().runs.size(), 4U);  // the second round has another seed
  const auto valid = folder_.path() / "valid.csv";
  io::put(valid, long_table(12, Target::kClass, 5));
  const TuneResult own = tuned(request("task.valid = ['" + valid.string() + "']"),
                               {.candidates = 2, .time_budget = 0.2});
  EXPECT_FALSE(own.has_folds);
  EXPECT_EQ(own.best->scores->sequences, 12);
}

Candidate scored(int number, const std::vector<double>& accuracies, double loss = 1) {
  Candidate made{.number = number, .plan = {}, .loss = loss};
  made.plan.runs.resize(2);  // folds
  for (const double accuracy : accuracies) {
    made.held_out.push_back({{MainScore::Kind::kAccuracy, accuracy}, loss, 10});
  }
  return made;
}

TEST(TuneFolds, AllFoldsThenTheScoreThenTheLossDecide) {
  EXPECT_TRUE(is_before(scored(1, {0.8, 0.8}), scored(0, {0.8, 0.7})));
  EXPECT_TRUE(is_before(scored(1, {0.8, 0.7}), scored(0, {0.9})));
  EXPECT_TRUE(is_before(scored(0, {0.8, 0.9}), scored(1, {0.8, 0.9, 0.8, 0.7}))) << "more seeds";
  EXPECT_TRUE(is_before(scored(1, {0.7, 0.8}, 0.9), scored(0, {0.8, 0.7}, 1)));
  EXPECT_TRUE(is_before(scored(0, {0.7, 0.8}), scored(1, {0.8, 0.7})));
  Candidate diverged = scored(1, {0.8, 0.8});
  diverged.held_out.back().sequences = 0;
  EXPECT_TRUE(is_before(scored(0, {0.1}), diverged));
  // Half a sequence is no difference: folds differ in size.
  EXPECT_TRUE(is_before(scored(1, {0.8, 0.8}, 0.5), scored(0, {0.8, 0.82}, 1)));
}

TEST(TuneFolds, OfErrorsTheLowestIsTheBest) {
  const auto with_error = [](int number, double error) {
    Candidate made{.number = number, .plan = {}, .loss = error};
    made.plan.runs.resize(3);
    made.held_out.assign(3, {{MainScore::Kind::kError, error}, error, 10});
    return made;
  };
  EXPECT_TRUE(is_before(with_error(1, 0.3), with_error(0, 0.4)));
  EXPECT_FALSE(is_before(with_error(1, 0.4), with_error(0, 0.3)));
}

// Small waves, of one or two periods, around levels far apart. Over the data they look constant, but
// their deviations are alike, so that this is the default; only scaling by sequence shows them.
TEST_F(Tune, FindsWhatTheDefaultsMiss) {
  const auto waves = [](std::uint32_t first, std::uint32_t count) {
    std::string text = "@problemName waves\n@classLabel true fast slow\n@data\n";
    for (std::uint32_t i = first; i < first + count; ++i) {
      const Random random(7, Purpose::kTestSamples, i);
      const double phase = 2 * std::numbers::pi * random.uniform(0), level = 100 * random.normal(1);
      for (int t = 0; t < 30; ++t) {
        const double angle = 2 * std::numbers::pi * (i % 2 == 0 ? 2 : 1) * t / 30 + phase;
        text += fmt::format("{}{:.7g}", t > 0 ? "," : "", level + std::sin(angle));
      }
      text += i % 2 == 0 ? ":fast\n" : ":slow\n";
    }
    return text;
  };
  const auto train_file = folder_.path() / "train.ts", test_file = folder_.path() / "test.ts";
  io::put(train_file, waves(0, 40));
  io::put(test_file, waves(100, 60));
  const auto settings = Overrides::parse(
      fmt::format("task.train = ['{}']\ntask.test = ['{}']\n[network]\nstem = '9'\nunits = 16\n"
                  "channels = 16\nlayers = 1\nbidirectional = false\n[training]\nsteps = 400",
                  train_file.string(), test_file.string()),
      "test");
  const TuneResult result =
      tuned({.settings = settings}, {.candidates = 5, .time_budget = kNoLimit});
  const auto defaults = std::ranges::find(result.candidates, 0, &Candidate::number);
  double accuracy = 0;
  for (const HeldOut& held : defaults->held_out) {
    accuracy += held.score.value / static_cast<double>(defaults->held_out.size());
  }
  EXPECT_LE(accuracy, 0.75);
  EXPECT_NE(result.candidates.front().number, 0);
  EXPECT_GE(*result.best->scores->accuracy, 0.9);
}

}  // namespace
}  // namespace rwa::workflows

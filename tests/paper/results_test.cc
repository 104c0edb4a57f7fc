// tests/paper/results_test.cc: kept results give the same reports as the runs.
#include "paper/results.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include <rapidcheck.h>

#include "io/io_testing.h"
#include "paper/claims.h"
#include "paper/report.h"
#include "paper_testing.h"
#include "rwa/errors.h"

namespace rwa::paper {
namespace {

namespace fs = std::filesystem;
using training::Metric;

// The losses that matter for an experiment.
std::vector<double> thresholds_of(const Entry& entry) {
  const double naive = tasks::facts(entry.experiment.task).naive.loss;
  std::vector<double> thresholds = {naive * entry.beats.loss_fraction.value_or(1)};
  for (const Claim* claim : claims_on(entry.experiment.name)) {
    if (claim->measure == Measure::kLossBelow) thresholds.push_back(claim->threshold);
  }
  return thresholds;
}

// Constant for a while, so that few evaluations are kept; then the scores jump between values
// around the thresholds and stay there for one, two, three… evaluations.
std::vector<Point> restless_points(const Entry& entry) {
  std::mt19937 random(*rc::gen::arbitrary<std::uint32_t>());
  const auto one_of = [&](const std::vector<double>& values) {
    return values[random() % values.size()];
  };
  const std::vector<double> thresholds = thresholds_of(entry);
  const std::size_t quiet = random() % 500;
  const std::size_t count = quiet + 1 + random() % 200;
  const unsigned change_in_percent = *rc::gen::element(30U, 60U, 90U);
  Point point{0, 100, 0.5};
  std::vector<Point> points;
  for (std::size_t i = 0; i < count; ++i) {
    if (i > quiet && random() % 100 < change_in_percent) {
      point.loss = one_of(thresholds) * one_of({0.999, 1.0, 1.001, 2});
      point.accuracy = one_of({0.96, 0.97, 0.98, 0.99, 1.0});
    }
    points.push_back(point);
    point.step += 100;
  }
  if (random() % 2 == 0) points.back().step -= static_cast<std::int64_t>(random() % 100);
  return points;
}

training::Record restless_run() {
  const Entry& entry = *rc::gen::elementOf(std::vector(catalogue().begin(), catalogue().end()));
  const std::string variant = *rc::gen::elementOf(variants_of(entry));
  return record(entry.experiment.name, variant, kRwa, 1, restless_points(entry));
}

training::Record with(training::Record run, std::vector<Metric> metrics) {
  run.metrics = std::move(metrics);
  return run;
}

bool is_subsequence(const std::vector<Metric>& part, const std::vector<Metric>& whole) {
  auto place = whole.begin();
  for (const Metric& metric : part) {
    place = std::find(place, whole.end(), metric);
    if (place == whole.end()) return false;
    ++place;
  }
  return true;
}

TEST(Thin, EveryClaimIsJudgedTheSame) {
  EXPECT_TRUE(rc::check([] {
    const training::Record whole = restless_run();
    const training::Record kept = with(whole, thin(whole));
    const Beats& beats = find(whole.experiment.name).beats;
    RC_ASSERT(beaten(beats, evidence_of(kept)) == beaten(beats, evidence_of(whole)));
    for (const Claim* claim : claims_on(whole.experiment.name)) {
      RC_ASSERT(measure(*claim, beats, evidence_of(kept)) ==
                measure(*claim, beats, evidence_of(whole)));
    }
    require_same_answers(whole, kept.metrics);
  }));
}

TEST(Thin, KeepsLinesAsTheyAreAndTheSameOnesWhenDoneTwice) {
  EXPECT_TRUE(rc::check([] {
    const training::Record whole = restless_run();
    const std::vector<Metric> kept = thin(whole);
    RC_ASSERT(is_subsequence(kept, whole.metrics));
    RC_ASSERT(kept.back() == whole.metrics.back());                        // the final score
    RC_ASSERT(kept.end()[-2] == whole.metrics[whole.metrics.size() - 2]);  // the last evaluation
    RC_ASSERT(thin(with(whole, kept)) == kept);
  }));
}

std::vector<std::int64_t> test_steps(const std::vector<Metric>& metrics) {
  std::vector<std::int64_t> steps;
  for (const Metric& metric : metrics) {
    if (metric.split == "test") steps.push_back(metric.step);
  }
  return steps;
}

TEST(Thin, KeepsAllOfTheBeginningAndFewerLater) {
  const auto steps =
      test_steps(thin(record("mnist", "text", kRwa, 1, turning(0, 250'000, {}, {0, 9, 0.1}))));
  const auto first = [&](std::int64_t from, std::size_t count) {
    const auto begin = std::ranges::find(steps, from);
    return std::vector(begin, std::min(begin + static_cast<std::ptrdiff_t>(count), steps.end()));
  };
  using Steps = std::vector<std::int64_t>;
  EXPECT_EQ(first(0, 3), (Steps{0, 100, 200}));
  EXPECT_EQ(first(3800, 4), (Steps{3800, 3900, 4000, 4200}));
  EXPECT_EQ(first(9800, 3), (Steps{9800, 10'000, 10'500}));
  EXPECT_EQ(first(200'000, 3), (Steps{200'000, 210'000, 220'000}));
  EXPECT_EQ(steps.back(), 250'000);
  EXPECT_LT(steps.size(), 170U);
}

TEST(Thin, KeepsTheEvaluationsThatDecide) {
  constexpr Point kBad{0, 0.17, {}};
  constexpr Point kGood{0, 0.02, {}};
  const auto steps =
      test_steps(thin(record("adding-100", "text", kRwa, 1, turning(45'300, 50'000, kBad, kGood))));
  const auto place = std::ranges::find(steps, 44'000);
  ASSERT_GE(steps.end() - place, 7);
  EXPECT_EQ(std::vector(place, place + 7),
            (std::vector<std::int64_t>{44'000, 45'300, 45'400, 45'500, 45'600, 45'700, 46'000}));
}

TEST(Thin, WhatIsNotEnoughIsRefused) {
  const training::Record run =
      record("adding-100", "text", kRwa, 1, turning(700, 2000, {0, 0.17, {}}, {0, 0.001, {}}));
  auto metrics = thin(run);
  require_same_answers(run, metrics);
  std::erase_if(metrics, [](const Metric& metric) { return metric.step == 700; });
  io::expect_error<InputError>([&] { require_same_answers(run, metrics); },
                               {"'beats the baseline' is between 700 and 700", "800 and 800"});
}

// Run folders as training::run() leaves them, without weights.
class ResultsTest : public ::testing::Test {
 protected:
  fs::path runs() const { return folder_.path() / "runs"; }
  fs::path out() const { return folder_.path() / "kept"; }

  training::Record put(const training::Record& run, const std::string& name) {
    const fs::path folder = runs() / name;
    fs::create_directories(folder);
    io::put(folder / training::kConfigFile, training::format_experiment(run.experiment));
    std::string lines;
    for (const Metric& metric : run.metrics) lines += training::format_metric(metric) + "\n";
    io::put(folder / training::kMetricsFile, lines);
    io::put(folder / training::kRunFile,
            R"({"format":"rwa-run","status":")" + std::string(to_string(run.status)) +
                R"(","steps":)" + std::to_string(run.steps) +
                R"(,"train_seconds":12.5,"parameters":1234,"machine":{"processor":"Abacus",)"
                R"("cores":2,"instruction_set":"avx2","threads":1,"gpu":"Big Abacus"}})");
    return training::read_run(folder);
  }

  std::vector<training::Record> put_some() {
    std::vector<training::Record> records;
    for (const std::uint64_t seed : {1, 2, 3}) {
      const auto late = static_cast<std::int64_t>(100 * seed);
      for (const char* variant : {"text", "script"}) {
        records.push_back(put(record("adding-100", variant, kRwa, seed,
                                     turning(900 + late, 50'000, {0, 0.17, {}}, {0, 1e-4, {}})),
                              std::string("adding-") + variant + std::to_string(seed)));
      }
    }
    records.push_back(
        put(record("grammar", "text", kLstm, 1, turning(800, 2000, {0, 1, 0.5}, {0, 0.01, 1.0})),
            "grammar"));
    return records;
  }

  std::vector<training::Record> read_kept() const {
    std::vector<training::Record> records;
    for (const fs::path& folder : training::find_runs(out()))
      records.push_back(training::read_run(folder));
    return records;
  }

  io::TempFolder folder_;
};

TEST_F(ResultsTest, ReportsOfWhatIsKeptAreThoseOfTheRuns) {
  const auto records = put_some();
  const Results results = write_results(records, out());
  EXPECT_EQ(results.written.rows.size(), 7U);
  EXPECT_TRUE(results.left_out.empty());
  const Report of_runs = make_report(records, "");
  const Report of_kept = make_report(read_kept(), "");
  EXPECT_EQ(report::to_text(of_kept.claims), report::to_text(of_runs.claims));
  EXPECT_EQ(report::to_text(of_kept.summary), report::to_text(of_runs.summary));
  EXPECT_EQ(report::to_text(of_kept.times), report::to_text(of_runs.times));
  EXPECT_EQ(of_kept.overview, of_runs.overview);
  EXPECT_NE(of_kept.overview.find("Hardware: Big Abacus, Abacus, 2 cores."), std::string::npos);
}

TEST_F(ResultsTest, AreThreeSmallFilesARun) {
  const training::Record run = put_some().front();
  const Results results = write_results({run}, out());
  const fs::path folder = out() / "adding-100" / "rwa-seed1";
  for (const auto name : {training::kConfigFile, training::kRunFile}) {
    EXPECT_EQ(io::get(folder / name), io::get(run.folder / name));
  }
  EXPECT_TRUE(io::get(folder / training::kKeptMetricsFile)
                  .starts_with("step,split,loss,unit,accuracy\n0,test,0.17,mse,\n100,test,"));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), {}), 3);
  EXPECT_LT(results.bytes, 10'000U);
  EXPECT_EQ(results.bytes, fs::file_size(folder / training::kConfigFile) +
                               fs::file_size(folder / training::kKeptMetricsFile) +
                               fs::file_size(folder / training::kRunFile));
}

// Runs of studies, with their gradients, and of further models.
TEST_F(ResultsTest, OfStudiesKeepTheirGradientsAndThresholds) {
  const auto points = turning(45'300, 50'000, {0, 0.17, {}}, {0, 0.02, {}});
  const training::Record study =
      put(record("adding-1000", "gradient-flow", kLstm, 1, points), "study");
  io::put(study.folder / "gradients.csv", "step,untrained,trained\n1,0.5,1\n");
  const training::Record gru = put(record("adding-1000", "text", "gru", 1, points), "gru");
  const Results results = write_results({study, gru}, out());
  EXPECT_TRUE(results.left_out.empty());
  EXPECT_EQ(io::get(out() / "adding-1000-gradient-flow" / "lstm-seed1" / "gradients.csv"),
            "step,untrained,trained\n1,0.5,1\n");
  EXPECT_TRUE(fs::exists(out() / "adding-1000" / "gru-seed1" / training::kKeptMetricsFile));
  EXPECT_FALSE(fs::exists(out() / "adding-1000" / "gru-seed1" / "gradients.csv"));
  EXPECT_EQ(make_report(read_kept(), "").studies.size(), 1U);
}

TEST_F(ResultsTest, CanBeKeptAgain) {
  write_results(put_some(), out());
  const fs::path file = out() / "adding-100-script" / "rwa-seed2" / training::kKeptMetricsFile;
  const std::string before = io::get(file);
  write_results(read_kept(), out());
  EXPECT_EQ(io::get(file), before);
}

TEST_F(ResultsTest, ARunThatIsNotFinishedSaysHowFarItIs) {
  training::Record run = record("copy-100", "text", kLstm, 4, losses({2, 2, 2}));
  run.experiment.training.steps = 50'000;
  run.status = training::Status::kInterrupted;
  run.metrics.pop_back();
  const Results results = write_results({put(run, "copy")}, out());
  ASSERT_EQ(results.written.rows.size(), 1U);
  std::vector<std::string> texts;
  for (const auto& cell : results.written.rows[0]) texts.push_back(cell.text);
  texts.pop_back();  // bytes
  EXPECT_EQ(texts, (std::vector<std::string>{"copy-100/lstm-seed4", "interrupted", "200 of 50,000",
                                             "3 of 6"}));
}

// A short run does not replace the results of a longer one.
TEST_F(ResultsTest, OfMoreStepsAreNotReplaced) {
  const auto late = turning(900, 50'000, {0, 0.17, {}}, {0, 1e-4, {}});
  const auto soon = turning(900, 2'000, {0, 0.17, {}}, {0, 1e-4, {}});
  write_results({put(record("adding-100", "text", kRwa, 1, late), "whole")}, out());
  const fs::path file = out() / "adding-100" / "rwa-seed1" / training::kKeptMetricsFile;
  const std::string before = io::get(file);
  const auto look = put(record("adding-100", "text", kRwa, 1, soon), "look");
  const Results results = write_results({look}, out());
  EXPECT_TRUE(results.written.rows.empty());
  ASSERT_EQ(results.left_out.size(), 1U);
  EXPECT_NE(results.left_out[0].find("has 2,000 steps"), std::string::npos);
  EXPECT_EQ(io::get(file), before);
}

TEST_F(ResultsTest, LeaveOutWhatSaysNothing) {
  auto records = put_some();
  records.resize(4);
  records[0].metrics.clear();
  fs::remove(records[1].folder / training::kRunFile);
  records[2].experiment.network.units = 100;
  const Results results = write_results(records, out());
  EXPECT_EQ(results.written.rows.size(), 1U);
  ASSERT_EQ(results.left_out.size(), 3U);
  EXPECT_NE(results.left_out[0].find("(network.units: 100 there, 250 here)"), std::string::npos);
  EXPECT_NE(results.left_out[1].find("(has no run.json)"), std::string::npos);
  EXPECT_NE(results.left_out[2].find("(has no evaluation yet)"), std::string::npos);
}

TEST_F(ResultsTest, DoNotMixWithWholeRuns) {
  const training::Record run =
      put(record("grammar", "text", kRwa, 1, accuracies({0.5, 0.6})), "grammar/rwa-seed1");
  io::expect_error<ConfigError>([&] { write_results({run}, runs()); },
                                {"grammar/rwa-seed1", "metrics.jsonl", "--out"});
  EXPECT_FALSE(fs::exists(run.folder / training::kKeptMetricsFile));
}

}  // namespace
}  // namespace rwa::paper

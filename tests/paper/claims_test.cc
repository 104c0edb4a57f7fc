// tests/paper/claims_test.cc: when a baseline is beaten, and a claim open or reproduced.
#include "paper/claims.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "paper_testing.h"

namespace rwa::paper {
namespace {

using report::Mark;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Known step(double at) { return {at, at}; }
Known not_before(double at) { return {at, kInfinity}; }

const Beats kHalf{.accuracy = {}, .loss_fraction = 0.5};
const Beats kAll{.accuracy = 1.0, .loss_fraction = {}};

TEST(Beaten, AtTheFirstOfFiveInARow) {
  EXPECT_EQ(beaten(kHalf, evidence(losses({9, .4, .4, .4, .4, .4, 9}))), step(100));
  EXPECT_EQ(beaten(kHalf, evidence(losses({.4, .4, .4, .4, .4}))), step(0));
}

TEST(Beaten, FourInARowAreNotEnough) {
  EXPECT_EQ(beaten(kHalf, evidence(losses({.4, .4, .4, .4, 9, .4, .4, .4, .4, .4}))), step(500));
  EXPECT_EQ(beaten(kHalf, evidence(losses({.4, .4, .4, .4, 9}))), not_before(401));
}

TEST(Beaten, ARunThatEndsWithinTheFiveLeavesItOpen) {
  EXPECT_EQ(beaten(kHalf, evidence(losses({9, 9, .4, .4, .4, .4}))), not_before(200));
  EXPECT_EQ(beaten(kHalf, evidence(losses({9, 9, 9, .4}))), not_before(300));
}

TEST(Beaten, TheThresholdItselfIsGoodEnough) {
  EXPECT_EQ(beaten(kHalf, evidence(losses({1, 1, 1, 1, 1}), 2)), step(0));
  EXPECT_EQ(beaten(kHalf, evidence(losses({1, 1, 1, 1, 1.0001}), 2)), not_before(401));
  const Beats most{.accuracy = 0.97, .loss_fraction = {}};
  EXPECT_EQ(beaten(most, evidence(accuracies({.97, .97, .97, .97, .97}))), step(0));
  EXPECT_EQ(beaten(most, evidence(accuracies({.97, .97, .96, .97, .97}))), not_before(300));
}

TEST(Beaten, AnAccuracyCountsAndNotTheLossWhereTheTaskIsJudgedByIt) {
  EXPECT_EQ(beaten(kAll, evidence(accuracies({.5, 1, 1, 1, 1, 1}))), step(100));
  EXPECT_EQ(beaten(kAll, evidence(losses({0, 0, 0, 0, 0}))), not_before(401));
}

TEST(Beaten, NothingIsKnownOfARunWithoutEvaluations) {
  EXPECT_EQ(beaten(kHalf, evidence({})), Known{});
}

TEST(Measures, AThresholdIsPassedAtTheFirstEvaluation) {
  const Claim below{.text = "",
                    .source = "",
                    .measure = Measure::kLossBelow,
                    .threshold = 0.1,
                    .rwa = {},
                    .lstm = {}};
  EXPECT_EQ(measure(below, {}, evidence(losses({1, .1, .09, 1, 1}))), step(200));
  EXPECT_EQ(measure(below, {}, evidence(losses({1, .1, .1}))), not_before(201));
  const Claim from{.text = "",
                   .source = "",
                   .measure = Measure::kAccuracyFrom,
                   .threshold = 0.99,
                   .rwa = {},
                   .lstm = {}};
  EXPECT_EQ(measure(from, {}, evidence(accuracies({.98, .99, .5}))), step(100));
}

TEST(Measures, ANumberThatIsMissingIsUnknown) {
  for (const Measure what : {Measure::kFinalLoss, Measure::kFinalAccuracy, Measure::kParameters,
                             Measure::kSecondsPerStep}) {
    const Claim claim{.text = "", .source = "", .measure = what, .rwa = {}, .lstm = {}};
    EXPECT_EQ(measure(claim, {}, evidence(losses({1}))), Known{});
    Evidence full = evidence(losses({1}));
    full.final = Point{100, 2, 2};
    full.parameters = full.seconds_per_step = 2;
    EXPECT_EQ(measure(claim, {}, full), step(2));
  }
}

TEST(Median, NeedsOnlyTheMiddle) {
  EXPECT_EQ(median({step(7)}), step(7));
  EXPECT_EQ(median({step(9), step(2), step(4)}), step(4));
  EXPECT_EQ(median({step(2), step(4)}), step(3));
  EXPECT_EQ(median({not_before(1201), step(700), step(600)}), step(700));
  EXPECT_EQ(median({not_before(1201), step(700), not_before(1201)}), not_before(1201));
  EXPECT_EQ(median({step(100), not_before(501)}), not_before(300.5));
}

TEST(Judge, LimitsAreInside) {
  const Said said{.words = "", .at_least = 100, .at_most = 200, .against = {}};
  EXPECT_EQ(judge(step(100), said), Mark::kYes);
  EXPECT_EQ(judge(step(200), said), Mark::kYes);
  EXPECT_EQ(judge(step(99), said), Mark::kNo);
  EXPECT_EQ(judge(step(201), said), Mark::kNo);
}

TEST(Judge, ARunTooShortLeavesItOpenUnlessItIsDecided) {
  const Said under{.words = "", .at_least = 0, .at_most = 1000, .against = {}};
  EXPECT_EQ(judge(not_before(601), under), Mark::kOpen);
  EXPECT_EQ(judge(not_before(1001), under), Mark::kNo);
  const Said over{.words = "", .at_least = 1000, .at_most = kInfinity, .against = {}};
  EXPECT_EQ(judge(not_before(601), over), Mark::kOpen);
  EXPECT_EQ(judge(not_before(1001), over), Mark::kYes);
  EXPECT_EQ(judge({}, under), Mark::kOpen);
  EXPECT_EQ(judge({}, over), Mark::kOpen);
}

TEST(Judge, AsFastIsNotFaster) {
  const Said faster{.words = "", .at_least = 0, .at_most = 1, .against = Against{}};
  EXPECT_EQ(judge(step(0.99), faster), Mark::kYes);
  EXPECT_EQ(judge(step(1), faster), Mark::kNo);
  const Said slower{.words = "", .at_least = 1, .at_most = 1.5, .against = Against{}};
  EXPECT_EQ(judge(step(1), slower), Mark::kNo);
  EXPECT_EQ(judge(step(1.2), slower), Mark::kYes);
  EXPECT_EQ(judge(step(1.5), slower), Mark::kNo);
}

// From runs to rows of the table.
class Claims : public ::testing::Test {
 protected:
  void add(const std::string& name, const std::string& variant, const std::string& model,
           std::vector<Point> points) {
    Evidence made =
        evidence(std::move(points), tasks::facts(in_variant(find(name), variant).task).naive.loss);
    made.parameters = model == kRwa ? 100 : 200;
    made.seconds_per_step = model == kRwa ? 0.9 : 1.0;
    made.machine = "a machine";
    ours_[{name, variant, model}].push_back(made);
  }
  // A run of `last` steps that beats the baseline from step `at` on.
  void add_adding(const std::string& variant, const std::string& model, std::int64_t at,
                  std::int64_t last) {
    add("adding-100", variant, model, turning(at, last, {0, .17, {}}, {0, .15, {}}));
  }
  void add_mnist(const std::string& name, const std::string& model, std::int64_t at,
                 std::int64_t last) {
    add(name, "text", model, turning(at, last, {0, 3.3, .1}, {0, 1, .7}));
  }

  Finding find_line(const std::string& experiment, const std::string& claim,
                    const std::string& model) const {
    for (const Finding& finding : check_claims(ours_, authors_)) {
      if (std::tie(finding.experiment, finding.claim, finding.model) ==
          std::tie(experiment, claim, model)) {
        return finding;
      }
    }
    ADD_FAILURE() << "no line for " << experiment << ", " << claim << ", " << model;
    return {};
  }
  void expect_line(const std::string& experiment, const std::string& claim,
                   const std::string& model, const std::string& ours, Mark verdict) const {
    const Finding line = find_line(experiment, claim, model);
    EXPECT_EQ(line.ours, ours);
    EXPECT_EQ(line.verdict, verdict) << claim;
  }

  Library ours_, authors_;
};

TEST_F(Claims, EachIsThereWithoutAnyRun) {
  std::size_t count = 2;  // the claims about all experiments: parameters and time
  for (const Entry& entry : catalogue()) {
    for (const Claim& claim : entry.claims) count += (claim.rwa ? 1 : 0) + (claim.lstm ? 1 : 0);
  }
  const auto findings = check_claims(ours_, authors_);
  EXPECT_EQ(findings.size(), count);
  for (const Finding& finding : findings) {
    EXPECT_EQ(finding.verdict, Mark::kNone);
    EXPECT_EQ(finding.ours, "—");
    EXPECT_EQ(finding.authors, "—");
  }
  EXPECT_EQ(to_table(findings).rows.at(0).back().text, "not run");
}

TEST_F(Claims, TheScoreboardHasBothModelsOfAHeadline) {
  add_adding("text", kRwa, 600, 2000);
  add_adding("text", kLstm, 1900, 50'000);
  const auto findings = check_claims(ours_, authors_);
  const report::Table table = scoreboard(findings);
  ASSERT_EQ(table.rows.size(), 1U);  // of experiments that were run
  std::vector<std::string> cells;
  for (const auto& cell : table.rows.front()) cells.push_back(cell.text);
  EXPECT_EQ(cells, (std::vector<std::string>{"adding-100", "beats the baseline", "under 1,000",
                                             "600", "about 3,000", "1,900"}));
  EXPECT_EQ(table.rows.front()[3].mark, Mark::kYes);
  EXPECT_EQ(table.rows.front()[5].mark, Mark::kNo);
  EXPECT_EQ(tally(findings).in_words(),
            "3 of 8 claims reproduced (1 open): 3 of 4 in the paper, 0 of 4 in the authors' logs");
}

TEST_F(Claims, SeedsGiveAMedianAndARange) {
  for (const std::int64_t at : {900, 600, 1100}) add_adding("text", kRwa, at, 2000);
  expect_line("adding-100", "beats the baseline", "RWA", "900 (600 to 1,100)", Mark::kYes);
  for (const std::int64_t at : {700, 1900, 1900}) add_adding("text", kLstm, at, 1200);
  expect_line("adding-100", "beats the baseline", "LSTM",
              "not within 1,200 steps (700 to not reached)", Mark::kOpen);
}

// The third run ends at step 100.
TEST_F(Claims, AShortRunAmongOthersLeavesTheMedianBetweenTwoSteps) {
  for (const std::int64_t at : {600, 700}) add_adding("text", kRwa, at, 2000);
  add_adding("text", kRwa, 9000, 100);
  EXPECT_EQ(median({step(600), step(700), not_before(101)}), (Known{600, 700}));
  expect_line("adding-100", "beats the baseline", "RWA", "600 to 700 (600 to not reached)",
              Mark::kYes);
  add_adding("text", kLstm, 600, 2000);
  add_adding("text", kLstm, 9000, 2000);
  add_adding("text", kLstm, 9000, 100);
  expect_line("adding-100", "beats the baseline", "LSTM", "at least 600", Mark::kOpen);
}

TEST_F(Claims, ARunThatEndsWhileItIsGoodSaysSinceWhen) {
  add_adding("text", kRwa, 900, 1100);
  expect_line("adding-100", "beats the baseline", "RWA", "at least 900", Mark::kOpen);
}

TEST_F(Claims, AShortRunIsOpen) {
  add_adding("text", kLstm, 5000, 1200);
  expect_line("adding-100", "beats the baseline", "LSTM", "not within 1,200 steps", Mark::kOpen);
  expect_line("adding-100", "beats the baseline", "RWA", "—", Mark::kNone);
}

TEST_F(Claims, ThePapersArePreferablyOfTheTextAndTheLogsOfTheScripts) {
  add_adding("script", kRwa, 700, 2000);
  EXPECT_EQ(find_line("adding-100", "beats the baseline", "RWA").variant, "script");
  add_adding("text", kRwa, 800, 2000);
  EXPECT_EQ(find_line("adding-100", "beats the baseline", "RWA").variant, "text");
  EXPECT_EQ(find_line("adding-100", "beats the baseline", "RWA").ours, "800");
  EXPECT_EQ(find_line("adding-100", "MSE below 0.01", "RWA").variant, "script");
}

TEST_F(Claims, TheBaselineIsThatOfTheVariant) {
  // Between 0.95 of the script's baseline, 0.2222 bits, and of the text's, 0.2375.
  add("copy-100", "text", kRwa, losses(std::vector<double>(20, 0.23)));
  expect_line("copy-100", "beats the baseline", "RWA", "0", Mark::kNo);
  ours_.clear();
  add("copy-100", "script", kRwa, losses(std::vector<double>(20, 0.23)));
  expect_line("copy-100", "beats the baseline", "RWA", "not within 1,900 steps", Mark::kNo);
}

TEST_F(Claims, ModelsAreCompared) {
  add_mnist("mnist", kRwa, 10'000, 20'000);
  expect_line("mnist", "passes 10 % accuracy first", "RWA", "—", Mark::kNone);
  add_mnist("mnist", kLstm, 16'000, 20'000);
  expect_line("mnist", "passes 10 % accuracy first", "RWA", "0.62 × LSTM", Mark::kYes);
  expect_line("mnist", "beats the baseline", "LSTM", "1.60 × RWA", Mark::kYes);
}

TEST_F(Claims, AComparisonCanBeDecidedBeforeBothAreThere) {
  add_mnist("mnist", kRwa, 10'000, 20'000);
  add_mnist("mnist", kLstm, 90'000, 14'000);
  expect_line("mnist", "passes 10 % accuracy first", "RWA", "under 0.71 × LSTM", Mark::kYes);
  expect_line("mnist", "beats the baseline", "LSTM", "over 1.40 × RWA", Mark::kOpen);
}

TEST_F(Claims, AComparisonWithAMedianBetweenTwoStepsHasTwoLimits) {
  for (const std::int64_t at : {6'000, 7'000}) add_mnist("mnist", kRwa, at, 20'000);
  add_mnist("mnist", kRwa, 90'000, 100);
  add_mnist("mnist", kLstm, 10'000, 20'000);
  expect_line("mnist", "passes 10 % accuracy first", "RWA", "0.60 to 0.70 × LSTM", Mark::kYes);
}

TEST_F(Claims, TasksAreCompared) {
  add_mnist("mnist-permuted", kRwa, 13'000, 20'000);
  expect_line("mnist-permuted", "beats the baseline", "RWA", "—", Mark::kNone);
  add_mnist("mnist", kRwa, 10'000, 20'000);
  expect_line("mnist-permuted", "beats the baseline", "RWA", "1.30 × RWA on mnist", Mark::kYes);
}

TEST_F(Claims, FinalScoresNeedAllSteps) {
  add_mnist("mnist", kRwa, 10'000, 20'000);
  expect_line("mnist", "accuracy after 250,000 steps", "RWA", "training incomplete", Mark::kOpen);
  ours_.begin()->second[0].final = Point{250'000, 0.2, 0.98};
  expect_line("mnist", "accuracy after 250,000 steps", "RWA", "98.0 %", Mark::kYes);
  expect_line("mnist", "loss in bits after 250,000 steps", "RWA", "0.2", Mark::kYes);
  ours_.begin()->second[0].final = Point{250'000, 0.4, 0.96};
  expect_line("mnist", "accuracy after 250,000 steps", "RWA", "96.0 %", Mark::kNo);
  expect_line("mnist", "parameters", "RWA", "100", Mark::kNo);
}

TEST_F(Claims, AFinalScoreThatIsMissingIsNotInTheRange) {
  for (const double accuracy : {0.98, 0.97, 0.0}) {
    add_mnist("mnist", kRwa, 10'000, 20'000);
    if (accuracy > 0) ours_.begin()->second.back().final = Point{250'000, 0.2, accuracy};
  }
  const std::string claim = "accuracy after 250,000 steps";
  expect_line("mnist", claim, "RWA", "97.0 % to 98.0 %", Mark::kOpen);
  add_mnist("mnist", kRwa, 10'000, 20'000);
  add_mnist("mnist", kRwa, 10'000, 20'000);
  expect_line("mnist", claim, "RWA", "training incomplete", Mark::kOpen);
}

TEST_F(Claims, ParametersAndTimesAreOfAllThatWasRun) {
  const std::string parameters = "parameters for the same number of units";
  const std::string time = "wall-clock time per step for the same number of units";
  add_adding("text", kRwa, 700, 2000);
  expect_line("all", parameters, "RWA", "—", Mark::kNone);
  add_adding("text", kLstm, 700, 2000);
  expect_line("all", parameters, "RWA", "0.50 × LSTM", Mark::kYes);
  expect_line("all", time, "RWA", "0.90 × LSTM", Mark::kYes);
  add_adding("script", kRwa, 700, 2000);
  add_adding("script", kLstm, 700, 2000);
  EXPECT_EQ(find_line("all", time, "RWA").variant, "1 task");  // with two variants
  add_mnist("mnist", kRwa, 700, 2000);
  add_mnist("mnist", kLstm, 700, 2000);
  ours_[{"mnist", "text", kRwa}][0].seconds_per_step = 1.25;
  expect_line("all", time, "RWA", "0.90 to 1.25 × LSTM", Mark::kNo);
  EXPECT_EQ(find_line("all", time, "RWA").variant, "2 tasks");
  // Times from different machines are not compared.
  ours_[{"mnist", "text", kRwa}][0].machine = "another";
  expect_line("all", time, "RWA", "0.90 × LSTM", Mark::kYes);
}

// A curve with the turning point and the evaluations of the authors' log.
TEST_F(Claims, TheAuthorsCurvesAreJudgedByTheSameRules) {
  authors_[{"copy-1000", "script", kLstm}].push_back(
      evidence(turning(26'600, 49'900, {0, .0276, {}}, {0, .0099, {}}), 0.0275));
  const Finding line = find_line("copy-1000", "beats the baseline", "LSTM");
  EXPECT_EQ(line.said, "paper: barely, after 50,000");
  EXPECT_EQ(line.authors, "26,600");
  EXPECT_EQ(line.verdict, Mark::kNone);
  EXPECT_EQ(find_line("copy-1000", "loss below 0.001 bits", "LSTM").authors,
            "not within 49,900 steps");
  EXPECT_EQ(beaten_in_words(authors_, {"copy-1000", "script", kLstm}), "26,600");
  EXPECT_EQ(beaten_in_words(authors_, {"copy-1000", "script", kRwa}), "—");
}

}  // namespace
}  // namespace rwa::paper

// tests/workflows/comparison_test.cc: runs side by side: which count as repetitions, which comes
// first, and what their page shows.
#include "workflows/comparison.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "io/io_testing.h"
#include "rwa/errors.h"
#include "workflows/train.h"

namespace rwa::workflows {
namespace {

using training::Record;

Record run(const std::string& folder, Cell cell, std::uint64_t seed, double accuracy) {
  Record record;
  record.folder = folder;
  record.experiment.name = "vowels";
  record.experiment.task = datasets::FilesTask{.train = {"vowels.ts"}, .folds = 5};
  record.experiment.network.cell = cell;
  record.experiment.seed = seed;
  record.experiment.training.steps = 600;
  record.status = training::Status::kFinished;
  record.steps = 600;
  record.scores = {{"accuracy, %", accuracy}, {"loss, bits", 2 - accuracy / 100}};
  record.baselines = {{"majority class", {}, {{"accuracy, %", 11}, {"loss, bits", 3.2}}}};
  for (const int step : {200, 400, 600}) {
    record.metrics.push_back({step, "valid", accuracy / step, "bits", accuracy / 100});
  }
  return record;
}

// Two cells with two seeds each, in any order.
std::vector<Record> four() {
  return {run("runs/a", Cell::kRwa, 1, 90), run("runs/b", Cell::kLstm, 1, 96),
          run("runs/c", Cell::kRwa, 2, 94), run("runs/d", Cell::kLstm, 2, 97)};
}

std::vector<std::string> texts(const std::vector<report::TableCell>& row) {
  std::vector<std::string> all;
  for (const auto& cell : row) all.push_back(cell.text);
  return all;
}

using Texts = std::vector<std::string>;

TEST(Comparison, PutsTheBestFirstAndTheBaselinesLast) {
  const RunComparison found = compare_runs(four());
  EXPECT_EQ(found.settings, (Texts{"seed", "cell"}));
  const report::Table table = table_of_runs(found);
  ASSERT_EQ(table.rows.size(), 5U);
  EXPECT_EQ(texts(table.rows[0]),
            (Texts{"d", "97", "1.03", "2", "lstm", "600", "under 1s", "finished"}));
  EXPECT_EQ(table.rows[3].front().text, "a");
  EXPECT_EQ(texts(table.rows[4]),
            (Texts{"baseline: majority class", "11", "3.2", "", "", "", "", ""}));
  EXPECT_TRUE(table.sorts);
}

TEST(Comparison, RunsThatDifferOnlyInTheirSeedAreOneGroup) {
  const RunComparison found = compare_runs(four());
  ASSERT_EQ(found.groups.size(), 2U);
  const report::Table table = table_of_groups(found);
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_EQ(texts(table.rows[0]), (Texts{"cell lstm", "2", "96.5 ± 0.71", "1.035 ± 0.0071"}));
  EXPECT_EQ(texts(table.rows[1]), (Texts{"cell rwa", "2", "92 ± 2.8", "1.08 ± 0.028"}));
}

TEST(Comparison, WithoutRepetitionsThereAreNoGroupsToShow) {
  auto runs = four();
  runs.resize(2);
  EXPECT_TRUE(table_of_groups(compare_runs(runs)).rows.empty());
}

TEST(Comparison, FoldsAreRepetitionsAndLongerRunsAreNot) {
  auto runs = four();
  for (std::size_t i = 0; i < runs.size(); ++i) {
    runs[i].experiment.network.cell = Cell::kRwa;
    runs[i].experiment.seed = 1;
    training::files_task(runs[i].experiment).fold = static_cast<int>(i);
    runs[i].experiment.training.steps = 600 + static_cast<int>(i);
  }
  EXPECT_EQ(compare_runs(runs).groups.size(), 1U);
  runs[3].experiment.training.steps = 6000;
  const RunComparison found = compare_runs(runs);
  ASSERT_EQ(found.groups.size(), 2U);
  EXPECT_EQ(found.groups[0].name, "all runs, steps 6000");
}

TEST(Comparison, GroupsAreNamedByWhatMostDoNotHave) {
  auto runs = four();
  for (Record& one : runs) one.experiment.seed = 1;
  runs[0].experiment.training.learning_rate = 0.01;
  runs[2].experiment.network.layers = 2;
  runs[3].experiment.network.cell = Cell::kRwa;
  Texts names;
  for (const RunGroup& group : compare_runs(runs).groups) names.push_back(group.name);
  EXPECT_EQ(names, (Texts{"usual settings", "cell lstm", "layers 2", "learning rate 0.01"}));
}

TEST(Comparison, ModelsTrainedOnAllDataHaveNoScoreToCompare) {
  auto runs = four();
  training::files_task(runs[0].experiment).fold = 5;
  runs[0].scores.clear();
  runs[0].metrics.clear();
  EXPECT_EQ(compare_runs(runs).runs.size(), 3U);
  EXPECT_THROW(compare_runs({runs[0]}), InputError);
}

// Baselines are matched by name, and so are their scores.
TEST(Comparison, BaselinesAreMeansByName) {
  auto runs = four();
  runs[0].baselines = {{"1-NN", {}, {{"loss, bits", 1}}},
                       {"majority class", {}, {{"loss, bits", 5}, {"accuracy, %", 15}}}};
  const auto means = mean_baselines(compare_runs(runs));
  ASSERT_EQ(means.size(), 2U);
  for (const auto& [name, final, scores] : means) {
    for (const auto& [score, value] : scores) {
      const double expected = name == "1-NN" ? 1 : score == "accuracy, %" ? 12 : 3.65;
      EXPECT_NEAR(value, expected, 1e-9) << name << ", " << score;
    }
  }
}

TEST(Comparison, TheScoreOfMostRunsRanks) {
  auto runs = four();
  runs[0].scores = {{"loss, bits", 0.001}};  // ended early
  const RunComparison found = compare_runs(runs);
  EXPECT_EQ(found.scores.front(), "accuracy, %");
  EXPECT_EQ(found.runs.back().name, "a");
}

TEST(Comparison, RunsWithoutAScoreComeLast) {
  auto runs = four();
  runs[3].scores.clear();
  runs[3].status = training::Status::kDiverged;
  const report::Table table = table_of_runs(compare_runs(runs));
  EXPECT_EQ(texts(table.rows[3]),
            (Texts{"d", "—", "—", "2", "lstm", "600", "under 1s", "diverged"}));
}

// Curves of a page by their labels.
Texts labels(const report::Page& page) {
  Texts labels;
  for (const report::Block& block : page.blocks) {
    const auto* figure = std::get_if<report::Figure>(&block);
    if (figure == nullptr) continue;
    for (const report::Curve& curve : figure->panels.front().curves) labels.push_back(curve.label);
  }
  return labels;
}

TEST(ComparisonPage, DrawsAMedianForEachGroup) {
  const report::Page page = comparison_page(compare_runs(four()), "runs");
  EXPECT_EQ(page.title, "vowels: runs compared");
  EXPECT_EQ(labels(page), (Texts{"cell lstm", "cell rwa"}));
  const auto& card = std::get<report::Card>(page.blocks.front());
  EXPECT_EQ(std::get<report::Text>(card.facts[2].value).text, "cell lstm: accuracy 96.5 ± 0.71 %");
}

TEST(ComparisonPage, RunsOnOtherDataHaveNoCommonBaselines) {
  auto runs = four();
  training::files_task(runs[3].experiment).sha256 = "other";
  const RunComparison found = compare_runs(runs);
  EXPECT_FALSE(found.has_one_data_set);
  EXPECT_TRUE(mean_baselines(found).empty());
  const auto card = std::get<report::Card>(comparison_page(found, "runs").blocks.front());
  EXPECT_EQ(card.facts.back().name, "Note");
}

TEST(ComparisonPage, OfManyRunsNamesTheBest) {
  std::vector<Record> runs;
  for (int i = 0; i < 100; ++i) {
    runs.push_back(run("runs/" + std::to_string(i), Cell::kRwa, 1, 50 + 0.1 * i));
    runs.back().experiment.network.units = 10 + i;
  }
  const Texts all = labels(comparison_page(compare_runs(runs), "runs"));
  ASSERT_EQ(all.size(), 100U);
  EXPECT_EQ(all[0], "99");
  EXPECT_EQ(all[8], "92 other runs");
  EXPECT_EQ(std::ranges::count(all, ""), 91);
}

TEST(ComparisonPage, LinksToReportsThatAreThere) {
  const io::TempFolder folder;
  auto runs = four();
  for (Record& one : runs) {
    one.folder = folder.path() / one.folder.filename() / "fold 1";
    std::filesystem::create_directories(one.folder);
  }
  io::put(runs[3].folder / kReportFile, "");
  const report::Page page = comparison_page(compare_runs(runs), folder.path());
  const auto& table = std::get<report::Table>(page.blocks.back());
  EXPECT_EQ(table.rows[0].front().link, "d/fold%201/report.html");
  EXPECT_EQ(table.rows[1].front().link, "");
}

}  // namespace
}  // namespace rwa::workflows

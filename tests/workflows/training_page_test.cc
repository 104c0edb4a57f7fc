// tests/workflows/training_page_test.cc: tests the report of a training, for classes and numbers.
#include "workflows/training_page.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "io/io_testing.h"
#include "report/page.h"

namespace rwa::workflows {
namespace {

using report::Chart;
using report::Figure;
using report::HeatTable;
using report::Table;

constexpr const char* kHostile = "<script>alert('x')</script>&\"";

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

template <class Block>
std::vector<Block> blocks(const report::Page& page) {
  std::vector<Block> found;
  for (const report::Block& block : page.blocks) {
    if (const auto* one = std::get_if<Block>(&block)) found.push_back(*one);
  }
  return found;
}

// The chart with this id in any figure; an empty chart if there is none.
Chart chart(const report::Page& page, std::string_view id) {
  for (const Figure& figure : blocks<Figure>(page)) {
    for (const Chart& panel : figure.panels) {
      if (panel.id == id) return panel;
    }
  }
  return {};
}

// A fact of the card; empty if there is none.
std::string fact(const report::Page& page, std::string_view name) {
  const report::Card card = blocks<report::Card>(page).front();
  for (const auto& [title, value] : card.facts) {
    if (title != name) continue;
    if (const auto* text = std::get_if<report::Text>(&value)) return text->text;
    return std::get<report::Code>(value).text;
  }
  return "";
}

// The row that begins with this text, in the first table that has one.
std::vector<std::string> row(const report::Page& page, std::string_view begins_with) {
  for (const Table& table : blocks<Table>(page)) {
    for (const auto& cells : table.rows) {
      if (cells.front().text != begins_with) continue;
      std::vector<std::string> texts;
      for (const auto& cell : cells) texts.push_back(cell.text);
      return texts;
    }
  }
  return {};
}

class PageTest : public ::testing::Test {
 protected:
  std::unique_ptr<datasets::Files> open(const std::string& table, const std::string& target) {
    io::put(folder_.path() / "data.csv", table);
    datasets::FilesTask task{.train = {(folder_.path() / "data.csv").string()}, .target = {target}};
    run_.experiment.task = task;
    return datasets::open_files(task, 1, folder_.path());
  }

  // Two classes, one three times as frequent as the other.
  std::unique_ptr<datasets::Files> classes() {
    std::string table = "id,u,v,answer\n";
    for (int s = 0; s < 40; ++s) {
      for (int t = 0; t <= s % 5; ++t) {
        table += fmt::format("s{},{},{},{}\n", s, s * 0.1, t * 0.3 - s,
                             s % 4 == 0 ? "\"<script>alert('x')</script>&\"\"\"" : "often");
      }
    }
    return open(table, "answer");
  }

  std::unique_ptr<datasets::Files> numbers() {
    std::string table = "id,u,height\n";
    for (int s = 0; s < 20; ++s) {
      for (int t = 0; t < 3; ++t) table += fmt::format("s{},{},{}.5\n", s, s * t, 100 + s * s);
    }
    return open(table, "height");
  }

  static training::Record make_run() {
    training::Record run;
    run.experiment.name = "a name & more";
    run.experiment.network.units = 48;
    run.experiment.training.steps = 2'000;
    run.experiment.evaluation.patience = 7;
    run.experiment.seed = 11;
    run.status = training::Status::kFinished;
    run.end = training::End::kPatience;
    run.steps = 1'500;
    run.best_step = 1'000;
    run.train_seconds = 75;
    run.parameters = 12'345;
    for (const int step : {500, 1'000, 1'500}) {
      run.metrics.push_back({step, "train", 0.9 / step, "bits"});
      run.metrics.push_back({step, "valid", step == 1'000 ? 0.25 : 0.5, "bits", 0.75});
    }
    return run;
  }

  static Scores make_scores() {
    Scores scores{.sequences = 1'100, .answers = 1'100, .loss = 0.25, .unit = "bits"};
    scores.accuracy = 0.875;
    scores.macro_f1 = 0.8125;
    scores.labels = {{kHostile, 100, 120, 0.75, 0.9, 0.82}, {"often", 1'000, 980, 0.9, 0.8, 0.85}};
    scores.confusion = {{90, 10}, {30, 970}};
    scores.calibration = {
        {0.5, 0.6, 0, 0, 0}, {0.6, 0.7, 50, 0.65, 0.6}, {0.9, 1, 1'050, 0.95, 0.97}};
    scores.lengths = {{1, 3, 550, 0.2, 0.9}, {4, 5, 550, 0.3, 0.85}};
    scores.hardest = {{.id = "s17", .truth = kHostile, .prediction = "often", .loss = 9.75}};
    return scores;
  }

  report::Page page_of(const datasets::Files& files, const Scores* scores,
                       const std::vector<Baseline>& baselines) {
    PageContent content{.run = run_, .files = files, .folder = "runs/a b", .baselines = baselines};
    if (scores != nullptr) content.parts.push_back({&files, nullptr, scores});
    return training_page(content);
  }

  io::TempFolder folder_;
  training::Record run_ = make_run();
  std::vector<Baseline> classes_baselines_ = {{.name = "majority class",
                                               .scores = {.sequences = 1'100,
                                                          .answers = 1'100,
                                                          .loss = 0.8125,
                                                          .unit = "bits",
                                                          .accuracy = 0.75,
                                                          .macro_f1 = 0.375}},
                                              {.name = "1-NN",
                                               .scores = {.sequences = 1'100,
                                                          .answers = 1'100,
                                                          .loss = 0.5,
                                                          .unit = "bits",
                                                          .accuracy = 0.8,
                                                          .macro_f1 = 0.7}}};
};

TEST_F(PageTest, BeginsWithTheScoreAndTheBaselines) {
  const auto files = classes();
  const Scores scores = make_scores();
  const report::Page page = page_of(*files, &scores, classes_baselines_);
  EXPECT_EQ(page.title, "a name & more");
  ASSERT_TRUE(std::holds_alternative<report::Card>(page.blocks.front()));
  EXPECT_EQ(fact(page, "Data"), "data.csv: 40 sequences of up to 5 steps, 2 features");
  EXPECT_EQ(fact(page, "Task"),
            fmt::format("predict one of 2 classes per sequence: {}, often", kHostile));
  EXPECT_EQ(fact(page, "Score"), "Accuracy on the validation data (1,100 sequences): 87.5 %");
  EXPECT_EQ(fact(page, "Baselines"), "majority class 75.0 %, 1-NN 80.0 %");
  EXPECT_EQ(fact(page, "Note"), "");
  EXPECT_EQ(fact(page, "Training"), "1,500 steps, 12,345 parameters, 1m15s");
  EXPECT_TRUE(fact(page, "Use").starts_with("rwa predict 'runs/a b' NEW\n"));
  EXPECT_EQ(row(page, "accuracy"),
            (std::vector<std::string>{"accuracy", "87.5 %", "75.0 %", "80.0 %"}));
  EXPECT_EQ(row(page, "loss").at(1), "0.25 bits");
  EXPECT_EQ(row(page, "loss").at(2), "0.8125 bits");
  EXPECT_EQ(row(page, "macro F1").at(2), "0.375");
}

TEST_F(PageTest, SaysThatTheModelIsNotBetter) {
  const auto files = classes();
  const Scores scores = make_scores();
  classes_baselines_[1].scores.accuracy = 0.9;
  const report::Page page = page_of(*files, &scores, classes_baselines_);
  EXPECT_EQ(fact(page, "Note"),
            "The model is not better than 1-NN (90.0 %): try --stem 15,9, a lower --learning-rate, "
            "or rwa tune.");
}

TEST_F(PageTest, DrawsTrainingAndMarksTheBestStep) {
  const auto files = classes();
  const Scores scores = make_scores();
  const report::Page page = page_of(*files, &scores, classes_baselines_);
  const Chart losses = chart(page, "loss");
  ASSERT_EQ(losses.curves.size(), 4);
  EXPECT_EQ(losses.curves[0].label, "training");
  EXPECT_EQ(losses.curves[0].x, (std::vector<double>{500, 1'000, 1'500}));
  EXPECT_EQ(losses.curves[1].y, (std::vector<double>{0.5, 0.25, 0.5}));
  EXPECT_EQ(losses.curves[2].label, "best (step 1,000)");
  EXPECT_EQ(losses.curves[2].x, (std::vector<double>{1'000}));
  EXPECT_EQ(losses.curves[2].y, (std::vector<double>{0.25}));
  EXPECT_EQ(losses.curves[3].y.front(), 0.5);  // the better baseline
  EXPECT_TRUE(losses.log_y);
  const Chart accuracies = chart(page, "accuracy");
  ASSERT_EQ(accuracies.curves.size(), 3);
  EXPECT_EQ(accuracies.curves[0].y.front(), 75);
  EXPECT_EQ(accuracies.caption, "Dashed: baseline (1-NN).");
  EXPECT_FALSE(accuracies.log_y);
}

TEST_F(PageTest, ShowsConfusionsAndCalibration) {
  const auto files = classes();
  const Scores scores = make_scores();
  const report::Page page = page_of(*files, &scores, classes_baselines_);
  ASSERT_EQ(blocks<HeatTable>(page).size(), 1);
  const HeatTable matrix = blocks<HeatTable>(page).front();
  EXPECT_EQ(matrix.rows, (std::vector<std::string>{kHostile, "often"}));
  EXPECT_EQ(matrix.cells[1][0].text, "30");
  EXPECT_DOUBLE_EQ(matrix.cells[1][0].share, 0.03);
  EXPECT_FALSE(matrix.cells[1][0].good);
  EXPECT_EQ(matrix.share_of, "Share of the true class");
  EXPECT_TRUE(matrix.cells[1][1].good);
  const Chart calibration = chart(page, "calibration");
  EXPECT_EQ(calibration.curves[0].x, (std::vector<double>{65, 95}));
  EXPECT_EQ(calibration.curves[0].y, (std::vector<double>{60, 97}));
  EXPECT_EQ(calibration.curves[1].x, calibration.curves[1].y);
  const Chart lengths = chart(page, "length");
  EXPECT_EQ(lengths.curves[0].x, (std::vector<double>{2, 4.5}));
  EXPECT_DOUBLE_EQ(lengths.curves[0].y[1], 15);
  EXPECT_EQ(row(page, "s17").at(1), kHostile);
  EXPECT_EQ(row(page, "often").at(3), "0.900");  // precision
}

TEST_F(PageTest, OfManyClassesShowsThePairsThatAreConfusedMost) {
  const auto files = classes();
  Scores scores = make_scores();
  scores.labels.clear();
  scores.confusion.assign(40, std::vector<std::int64_t>(40));
  for (std::size_t i = 0; i < 40; ++i) {
    scores.labels.push_back({.name = fmt::format("c{}", i)});
    scores.confusion[i][i] = 90;
    scores.confusion[i][(i + 1) % 40] = static_cast<std::int64_t>(i);
  }
  const report::Page page = page_of(*files, &scores, classes_baselines_);
  EXPECT_TRUE(blocks<HeatTable>(page).empty());
  const auto first = row(page, "c39");
  EXPECT_EQ(first, (std::vector<std::string>{"c39", "c0", "39", "30.2 %"}));
  EXPECT_EQ(row(page, "c38").at(1), "c39");
}

TEST_F(PageTest, SaysWhatTheDataAndTheSettingsAre) {
  const auto files = classes();
  const report::Page page = page_of(*files, nullptr, {});
  EXPECT_TRUE(contains(fact(page, "Score"), "none was held out"));
  EXPECT_TRUE(contains(row(page, "training files").at(1), "data.csv"));
  EXPECT_EQ(row(page, "training sequences").at(1), "32");
  EXPECT_EQ(row(page, "validation sequences").at(1), "8");
  EXPECT_EQ(row(page, "steps per sequence").at(1), "1 to 5, median 3");
  EXPECT_EQ(row(page, "often"), (std::vector<std::string>{"often", "30", "75.0 %"}));
  EXPECT_EQ(row(page, "u").at(1), "0");
  EXPECT_EQ(row(page, "u").at(2), "3.9");
  EXPECT_EQ(row(page, "cell").at(1), "rwa");
  EXPECT_EQ(row(page, "units").at(1), "48");
  EXPECT_EQ(row(page, "seed").at(1), "11");
  EXPECT_EQ(row(page, "training steps").at(1), "1,500 of 2,000");
  EXPECT_EQ(row(page, "stopped because").at(1), "no improvement in 7 validations (early stopping)");
  EXPECT_EQ(row(page, "training time").at(1), "1m15s");
}

TEST_F(PageTest, OfNumbersHasTheirErrorsAndNoClasses) {
  const auto files = numbers();
  Scores scores{.sequences = 4, .answers = 4, .loss = 0.5, .unit = "mse"};
  scores.numbers = {{"height", 7.25, 5.5, 0.875, {{100, 104}, {120, 118}}}};
  scores.lengths = {{3, 3, 4, 0.5}};
  for (auto& metric : run_.metrics) metric.accuracy.reset();
  Scores mean{.sequences = 4, .answers = 4, .loss = 1.25, .unit = "mse"};
  mean.numbers = {{"height", 11.5, 9, 0}};
  const report::Page page = page_of(*files, &scores, {{"mean", mean}});
  EXPECT_EQ(fact(page, "Score"), "Error on the validation data (4 sequences): RMSE 7.25");
  EXPECT_EQ(fact(page, "Baseline"), "mean RMSE 11.5");
  EXPECT_EQ(row(page, "height"), (std::vector<std::string>{"height", "7.25", "5.5", "0.875"}));
  EXPECT_TRUE(blocks<HeatTable>(page).empty());
  EXPECT_TRUE(chart(page, "accuracy").id.empty());
  const Chart both = chart(page, "truth-1"), left = chart(page, "residuals-1");
  ASSERT_EQ(both.curves.size(), 2);
  EXPECT_TRUE(both.curves[0].points);
  EXPECT_EQ(both.curves[0].x, (std::vector<double>{100, 120}));
  EXPECT_EQ(both.curves[0].y, (std::vector<double>{104, 118}));
  EXPECT_EQ(both.curves[1].x, both.curves[1].y);
  EXPECT_EQ(left.curves[0].x, (std::vector<double>{104, 118}));
  EXPECT_EQ(left.curves[0].y, (std::vector<double>{4, -2}));
  EXPECT_TRUE(row(page, "class").empty());
}

TEST_F(PageTest, NoNameIsMarkup) {
  const auto files = classes();
  const Scores scores = make_scores();
  const std::string html = to_html(page_of(*files, &scores, classes_baselines_));
  EXPECT_FALSE(contains(html, "<script>alert"));
  EXPECT_TRUE(contains(html, "&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;&quot;"));
  EXPECT_TRUE(contains(html, "<title>a name &amp; more</title>"));
}

}  // namespace
}  // namespace rwa::workflows

// tests/paper/report_test.cc: the page, figures and tables of made-up runs.
#include "paper/report.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <set>
#include <string>
#include <variant>

#include "io/io_testing.h"
#include "paper/charts.h"
#include "paper/external_files.h"
#include "paper_testing.h"
#include "rwa/errors.h"

namespace rwa::paper {
namespace {

using report::Role;

constexpr Point kBad{0, 0.17, {}};
constexpr Point kGood{0, 0.001, {}};

std::vector<training::Record> adding_runs(const std::string& variant) {
  std::vector<training::Record> runs;
  for (const std::uint64_t seed : {2, 1, 3}) {
    const auto late = static_cast<std::int64_t>(100 * seed);
    runs.push_back(
        record("adding-100", variant, kRwa, seed, turning(500 + late, 1200, kBad, kGood)));
  }
  runs.push_back(record("adding-100", variant, kLstm, 1, turning(9000, 1200, kBad, kGood)));
  return runs;
}

template <class Block>
std::vector<Block> blocks_of(const report::Page& page) {
  std::vector<Block> found;
  for (const report::Block& block : page.blocks) {
    if (const Block* one = std::get_if<Block>(&block)) found.push_back(*one);
  }
  return found;
}

bool says(const report::Page& page, const std::string& words) {
  std::string all;
  for (const auto& text : blocks_of<report::Text>(page)) all += text.text + "\n\n";
  for (const auto& code : blocks_of<report::Code>(page)) all += code.text + "\n\n";
  for (const auto& figure : blocks_of<report::Figure>(page)) all += figure.caption + "\n\n";
  return all.find(words) != std::string::npos;
}

const report::Curve& curve(const report::Chart& chart, Role role) {
  return *std::ranges::find(chart.curves, role, &report::Curve::role);
}
bool has_curve(const report::Chart& chart, Role role) {
  return std::ranges::find(chart.curves, role, &report::Curve::role) != chart.curves.end();
}

TEST(Report, DrawsMediansBandsAndTheBaseline) {
  const auto figures = make_report(adding_runs("text"), "").figures;
  ASSERT_EQ(figures.size(), 1U);
  EXPECT_EQ(figures[0].id, "figure-5");
  ASSERT_EQ(figures[0].panels.size(), 1U);
  const report::Chart& chart = figures[0].panels[0];
  EXPECT_EQ(chart.id, "adding-100");
  EXPECT_TRUE(chart.log_y);
  const report::Curve& rwa = curve(chart, Role::kRwa);
  ASSERT_EQ(rwa.x.size(), 13U);
  EXPECT_EQ(rwa.x[6], 600);
  EXPECT_EQ(rwa.y[6], kBad.loss);  // one of three has turned
  EXPECT_EQ(rwa.low[6], kGood.loss);
  EXPECT_EQ(rwa.high[6], kBad.loss);
  EXPECT_EQ(rwa.y[7], kGood.loss);
  EXPECT_EQ(curve(chart, Role::kLstm).low.size(), 0U);  // a single run has no band
  EXPECT_DOUBLE_EQ(curve(chart, Role::kNaive).y.at(0), 1 / 6.0);
  EXPECT_EQ(curve(chart, Role::kNaive).x, (std::vector<double>{0, 1200}));
  EXPECT_FALSE(has_curve(chart, Role::kRwaReference));
}

TEST(Report, DrawsAccuraciesInPercentWhereTheyAreWhatCounts) {
  const auto runs = {
      record("grammar", "text", kRwa, 1, turning(500, 1000, {0, 1, 0.5}, {0, 0.1, 0.98}))};
  const report::Chart chart = make_report(runs, "").figures.at(0).panels.at(0);
  EXPECT_EQ(curve(chart, Role::kRwa).y.back(), 98);
  EXPECT_EQ(curve(chart, Role::kNaive).y.back(), 50);
}

TEST(Report, TheAuthorsCurvesReachAsFarAsOurs) {
  const io::TempFolder folder;
  io::put(folder.path() / "adding-100.rwa.csv",
          "step,mse,accuracy\n0,1,\n600,0.1,\n1200,0.05,\n1300,0.01,\n");
  const Report made = make_report(adding_runs("text"), folder.path());
  const report::Chart& chart = made.figures.at(0).panels.at(0);
  EXPECT_EQ(curve(chart, Role::kRwaReference).x, (std::vector<double>{0, 600, 1200}));
  EXPECT_EQ(curve(chart, Role::kRwaReference).y, (std::vector<double>{1, 0.1, 0.05}));
  EXPECT_FALSE(has_curve(chart, Role::kLstmReference));
  EXPECT_NE(chart.caption.find("which differs"), std::string::npos);
  const auto script = make_report(adding_runs("script"), folder.path()).figures.at(0);
  EXPECT_EQ(script.id, "figure-5-script");
  EXPECT_EQ(script.panels.at(0).caption.find("which differs"), std::string::npos);
}

using Texts = std::vector<std::string>;

Texts row(const report::Table& table, std::size_t index) {
  Texts texts;
  for (const auto& cell : table.rows.at(index)) texts.push_back(cell.text);
  return texts;
}

TEST(Report, TheSummaryHasALineForEachTaskAndModel) {
  auto runs = adding_runs("script");
  std::ranges::copy(adding_runs("text"), std::back_inserter(runs));
  const Report made = make_report(runs, "");
  ASSERT_EQ(made.summary.rows.size(), 4U);
  EXPECT_EQ(row(made.summary, 0),
            (Texts{"adding-100", "RWA", "1,200", "700 (600 to 800)", "—", "0.001 MSE"}));
  EXPECT_EQ(row(made.summary, 1),
            (Texts{"adding-100", "LSTM", "1,200", "not within 1,200 steps", "—", "0.17 MSE"}));
  EXPECT_EQ(made.summary.rows[2][0].text, "adding-100-script");
}

TEST(Report, TheSummaryNeedsNoReport) {
  const auto runs = adding_runs("text");
  const auto tables = summarise(runs, {});
  ASSERT_EQ(tables.size(), 1U);
  EXPECT_EQ(report::to_text(tables[0]), report::to_text(make_report(runs, "").summary));
}

// As when runs/demo is below runs.
TEST(Report, ASeedCountsOnceAndItsLongestRunIsTheOne) {
  const auto run = [](std::int64_t at, std::int64_t last, const char* folder) {
    training::Record made = record("adding-100", "text", kRwa, 1, turning(at, last, kBad, kGood));
    made.folder = folder;
    return made;
  };
  auto begun = run(700, 2000, "runs/b");
  std::erase_if(begun.metrics,
                [](const training::Metric& metric) { return metric.split == "final"; });
  const std::vector<training::Record> runs = {run(500, 1200, "runs/a"), begun,
                                              run(900, 2000, "runs/c")};
  const Report made = make_report(runs, "");
  EXPECT_EQ(made.summary.rows.at(0).at(3).text, "900");
  EXPECT_TRUE(says(made.page, "runs/a (the same seed as runs/c, which is at least as long)"));
  EXPECT_TRUE(says(made.page, "runs/b (the same seed as runs/c, which is at least as long)"));
}

TEST(Report, FinalScoresAreOfTheLongestRuns) {
  const auto run = [](const std::string& model, std::uint64_t seed, std::int64_t last,
                      double loss) {
    return record("adding-100", "text", model, seed, turning(0, last, kBad, {0, loss, {}}));
  };
  auto begun = run(kLstm, 2, 700, 0.1);
  std::erase_if(begun.metrics,
                [](const training::Metric& metric) { return metric.split == "final"; });
  const auto rows = make_report({run(kRwa, 1, 2000, 0.002), run(kRwa, 2, 2000, 0.004),
                                 run(kRwa, 3, 500, 0.1), run(kLstm, 1, 500, 0.15), begun},
                                "")
                        .summary.rows;
  EXPECT_EQ(rows.at(0).back().text, "0.003 MSE");
  EXPECT_EQ(rows.at(1).back().text, "0.15 MSE after 500 steps");
}

TEST(Report, TimesAreOfTheLongestRuns) {
  auto runs = adding_runs("text");
  runs.push_back(record("adding-100", "text", kRwa, 4, turning(0, 500, kBad, kGood)));
  const report::Table times = make_report(runs, "").times;
  EXPECT_EQ(row(times, 0), (Texts{"adding-100", "RWA", "1,200", "48s", "25"}));
  EXPECT_EQ(row(times, 1), (Texts{"adding-100", "LSTM", "1,200", "1m36s", "12.5"}));
  runs.pop_back();
  runs.push_back(record("adding-100", "text", kLstm, 2, turning(0, 500, kBad, kGood)));
  runs[3].train_seconds = 0;  // unknown for the longer run
  EXPECT_EQ(row(make_report(runs, "").times, 1),
            (Texts{"adding-100", "LSTM", "1,200", "40s after 500 steps", "12.5"}));
}

TEST(Report, TimesOfDifferentMachinesHaveNoMedian) {
  auto runs = adding_runs("text");
  runs[1].machine = "another machine";
  const Report made = make_report(runs, "");
  EXPECT_EQ(row(made.times, 0), (Texts{"adding-100", "RWA", "1,200", "—", "—"}));
  EXPECT_EQ(row(made.times, 1), (Texts{"adding-100", "LSTM", "1,200", "1m36s", "12.5"}));
  EXPECT_TRUE(says(made.page, "times are training only, on a machine; another machine."));
}

// Kept results (results.h) have individual evaluations around the step that decides a claim.
TEST(Report, DrawsWhereAllRunsThatGotThereWereEvaluated) {
  auto runs = adding_runs("text");
  std::erase_if(runs[0].metrics, [](const training::Metric& metric) { return metric.step == 300; });
  runs[2] = record("adding-100", "text", kRwa, 3, turning(500, 700, kBad, kGood));
  const report::Chart chart = make_report(runs, "").figures.at(0).panels.at(0);
  EXPECT_EQ(curve(chart, Role::kRwa).x,
            (std::vector<double>{0, 100, 200, 400, 500, 600, 700, 800, 900, 1000, 1100, 1200}));
}

TEST(Report, IsSummedUpInMarkdown) {
  const io::TempFolder folder;
  const Report made = make_report(adding_runs("text"), "");
  write_summary(made, folder.path() / "summary.md");
  const std::string text = io::get(folder.path() / "summary.md");
  EXPECT_TRUE(text.starts_with("Runs: adding-100 (1,200 steps, seeds 1, 2, 3)"));
  EXPECT_NE(text.find("\n\n" + report::to_markdown(made.summary) + "\n"), std::string::npos);
  EXPECT_NE(text.find("\n\n" + report::to_markdown(made.times) + "\n"), std::string::npos);
  EXPECT_TRUE(text.ends_with(report::to_markdown(made.claims)));
}

TEST(Report, ThePageHasEverythingOnce) {
  auto runs = adding_runs("text");
  std::ranges::copy(adding_runs("script"), std::back_inserter(runs));
  const report::Page page = make_report(runs, "").page;
  std::set<std::string> ids;
  std::size_t count = 0;
  for (const report::Heading& heading : blocks_of<report::Heading>(page)) {
    ids.insert(heading.id);
    ++count;
  }
  for (const report::Figure& figure : blocks_of<report::Figure>(page)) {
    ids.insert(figure.id);
    for (const report::Chart& panel : figure.panels) ids.insert(panel.id);
    count += 1 + figure.panels.size();
  }
  EXPECT_EQ(count, 10U);  // five sections, the details of two tasks, a figure with two panels
  EXPECT_EQ(ids.size(), count);
  EXPECT_EQ(blocks_of<report::Example>(page).size(), 2U);
  // Claims, summary, times, the runs of each task, and claims that were not tested.
  const auto tables = blocks_of<report::Table>(page);
  ASSERT_EQ(tables.size(), 6U);
  for (const report::Table& table : tables) {
    for (const auto& row : table.rows) EXPECT_EQ(row.size(), table.header.size());
  }
  EXPECT_EQ(tables[3].rows.size(), 4U);
  EXPECT_EQ(tables[3].rows[0][0].text, "RWA");
  EXPECT_EQ(tables[3].rows[0][1].text, "1");  // by seed
  EXPECT_EQ(tables[3].rows[3][0].text, "LSTM");
  EXPECT_EQ(tables[3].rows[3][5].text, "1m36s");
  EXPECT_EQ(tables[3].rows[3][6].text, "12.5");  // steps per second
  EXPECT_TRUE(says(page, "seeds 1, 2, 3"));
  EXPECT_TRUE(says(page, "a machine"));
  EXPECT_TRUE(says(page, "rwa paper data curves"));
}

TEST(Report, ThePageLeadsWithTheTallyAndTheFigures) {
  auto runs = adding_runs("text");
  std::ranges::copy(adding_runs("script"), std::back_inserter(runs));
  const Report made = make_report(runs, "");
  ASSERT_TRUE(std::holds_alternative<report::Lead>(made.page.blocks.at(0)));
  const auto& lead = std::get<report::Lead>(made.page.blocks[0]);
  EXPECT_EQ(lead.result, made.tally.result());
  EXPECT_TRUE(lead.rest.ends_with("in the authors' logs.")) << lead.rest;
  const auto& figure = std::get<report::Figure>(made.page.blocks.at(3));
  EXPECT_TRUE(figure.is_small);
  EXPECT_EQ(figure.panels.size(), 2U);
  EXPECT_EQ(figure.caption,
            "Beats the baseline: RWA 700 (600 to 800) ✓ (paper: under 1,000), LSTM not within "
            "1,200 steps (paper: about 3,000).");
}

TEST(Report, SaysHowToRunItAgain) {
  const report::Page page = make_report(adding_runs("script"), "").page;
  EXPECT_TRUE(says(page, "rwa paper run adding-100 --variant script --steps 1200 --seeds 3"));
  const auto one = {record("adding-100", "text", kLstm, 5, turning(0, 50'000, kBad, kGood))};
  EXPECT_TRUE(says(make_report(one, "").page, "rwa paper run adding-100 --model lstm --seed 5"));
  std::vector<training::Record> on_gpu = one;
  on_gpu[0].experiment.device = "cuda";
  EXPECT_TRUE(says(make_report(on_gpu, "").page,
                   "rwa paper run adding-100 --model lstm --device cuda --seed 5"));
}

TEST(Report, ToRunItAgainIsToFinishItAndHasNoOtherSeeds) {
  std::vector<training::Record> runs;
  for (const std::uint64_t seed : {1, 2, 5, 7, 8}) {
    runs.push_back(record("adding-100", "text", kRwa, seed, losses({1, 1})));
    runs.back().experiment.training.steps = 9000;
    runs.back().status = training::Status::kInterrupted;
  }
  const std::string command = "rwa paper run adding-100 --model rwa --steps 9000";
  EXPECT_TRUE(says(make_report(runs, "").page, command + " --seeds 2\n" + command + " --seed 5\n" +
                                                   command + " --seed 7 --seeds 2"));
}

TEST(Report, LeavesOutWhatIsNotThePapers) {
  auto runs = adding_runs("text");
  runs[0].experiment.network.units = 100;
  runs[0].folder = "runs/small";
  runs[1].experiment.name = "sorting";
  runs[2].experiment.variant = "mine";
  const Report made = make_report(runs, "");
  ASSERT_EQ(made.summary.rows.size(), 1U);
  EXPECT_EQ(made.summary.rows[0][1].text, "LSTM");
  EXPECT_TRUE(says(made.page, "runs/small (network.units: 100 there, 250 here)"));
  EXPECT_TRUE(says(made.page, "unknown experiment 'sorting'"));
  EXPECT_TRUE(says(made.page, "unknown variant 'mine'"));
}

TEST(Report, AFinalScoreCountsForAClaimAfterAllStepsOnly) {
  const auto ours = [](std::int64_t steps) {
    const auto points = turning(100, steps, {0, 3.3, 0.1}, {0, 0.2, 0.98});
    const auto rows = make_report({record("mnist", "text", kRwa, 1, points)}, "").claims.rows;
    const auto row = std::ranges::find_if(
        rows, [](const auto& cells) { return cells[1].text == "accuracy after 250,000 steps"; });
    return row->at(5).text;
  };
  EXPECT_EQ(ours(20'000), "training incomplete");
  EXPECT_EQ(ours(250'000), "98.0 %");
}

TEST(Report, OfNothingSaysSo) {
  const Report made = make_report({}, "");
  EXPECT_TRUE(made.figures.empty());
  EXPECT_TRUE(made.summary.rows.empty());
  EXPECT_TRUE(made.claims.rows.empty());
  EXPECT_FALSE(made.claims_not_run.rows.empty());
  EXPECT_TRUE(says(made.page, "No runs of the catalogue's experiments were found"));
}

TEST(Report, ARunThatHasJustBegunIsNoTrouble) {
  training::Record begun = record("grammar", "text", kRwa, 1, accuracies({0.5}));
  begun.metrics.clear();
  begun.steps = 0;
  begun.status = training::Status::kRunning;
  const Report made = make_report({begun}, "");
  EXPECT_EQ(made.summary.rows.at(0).at(3).text, "not within 0 steps");
  EXPECT_EQ(made.figures.size(), 1U);
}

TEST(Report, ShowsEveryModelThatWasRun) {
  auto runs = adding_runs("text");
  for (const char* model : {"gru", "rwa-forget"}) {
    runs.push_back(record("adding-100", "text", model, 1, turning(1000, 2000, kBad, kGood)));
  }
  const Report made = make_report(runs, "");
  EXPECT_TRUE(made.left_out.empty());
  ASSERT_EQ(made.summary.rows.size(), 4U);
  EXPECT_EQ(made.summary.rows[2][1].text, "rwa-forget");
  EXPECT_EQ(made.summary.rows[3][1].text, "GRU");
  std::set<Role> roles;
  for (const report::Curve& drawn : made.figures.at(0).panels.at(0).curves) {
    roles.insert(drawn.role);
  }
  EXPECT_EQ(roles,
            (std::set<Role>{Role::kRwa, Role::kLstm, Role::kOther1, Role::kOther3, Role::kNaive}));
  EXPECT_TRUE(says(made.page,
                   "RWA 700 (600 to 800), LSTM not within 1,200 steps, rwa-forget 1,000, "
                   "GRU 1,000."));
  EXPECT_TRUE(says(made.page, "rwa paper run adding-100 --model rwa,lstm,rwa-forget,gru "));
}

TEST(Challenge, ComparesOtherModelsWithThePapersTwo) {
  auto runs = adding_runs("text");
  EXPECT_TRUE(make_report(runs, "").challenge.rows.empty());
  runs.push_back(record("adding-100", "text", "gru", 1, turning(350, 2000, kBad, kGood)));
  runs.push_back(record("grammar", "text", "gru", 1, turning(300, 900, {0, 1, .5}, {0, 1, .5})));
  const Report made = make_report(runs, "");
  // Three thresholds for three models on adding, and two for one model on the grammar.
  ASSERT_EQ(made.challenge.rows.size(), 11U);
  EXPECT_EQ(row(made.challenge, 0),
            (Texts{"grammar", "100 % accuracy", "GRU", "not within 900 steps", "—", "—"}));
  EXPECT_EQ(row(made.challenge, 2), (Texts{"adding-100", "beats the baseline", "RWA",
                                           "700 (600 to 800)", "—", "under 0.58 × LSTM"}));
  EXPECT_EQ(row(made.challenge, 4), (Texts{"adding-100", "beats the baseline", "GRU", "400",
                                           "0.57 × RWA", "under 0.33 × LSTM"}));
  const io::TempFolder folder;
  write_summary(made, folder.path() / "summary.md");
  EXPECT_NE(io::get(folder.path() / "summary.md").find(report::to_markdown(made.challenge)),
            std::string::npos);
}

TEST(Report, RefusesADamagedCurve) {
  const io::TempFolder folder;
  io::put(folder.path() / "adding-100.rwa.csv", "step,mse,accuracy\n0,x,\n");
  io::expect_error<InputError>([&] { make_report({}, folder.path()); }, {"adding-100.rwa.csv:2:3"});
}

TEST(Examples, ShowASampleAndItsAnswer) {
  const auto examples = [](const char* name) { return examples_of(find(name).experiment); };
  const auto grammar = examples("grammar");
  ASSERT_EQ(grammar.size(), 2U);
  EXPECT_EQ(grammar[0].lanes.at(0).symbols.front(), "B");
  EXPECT_EQ(grammar[0].lanes.at(0).symbols.back(), "E");
  EXPECT_EQ(grammar[0].lanes.at(1).symbols, std::vector<std::string>{"1 (valid)"});
  EXPECT_EQ(grammar[1].lanes.at(1).symbols, std::vector<std::string>{"0 (not valid)"});

  const auto length = examples("length-100");
  ASSERT_EQ(length.size(), 2U);
  EXPECT_GT(length[0].lanes.at(0).values.size(), 50U);
  EXPECT_LE(length[1].lanes.at(0).values.size(), 50U);

  const auto copy = examples("copy-100").at(0).lanes;
  ASSERT_EQ(copy.at(0).symbols.size(), 120U);
  ASSERT_EQ(copy.at(1).symbols.size(), 120U);
  const auto delimiter = std::ranges::find(copy[0].symbols, "|") - copy[0].symbols.begin();
  EXPECT_TRUE(std::equal(copy[0].symbols.begin(), copy[0].symbols.begin() + 10,
                         copy[1].symbols.begin() + delimiter + 1));
}

TEST(Examples, OfTasksBeyondThePaper) {
  for (const Entry& entry : catalogue()) {
    if (is_of_paper(entry)) continue;
    const auto examples = examples_of(entry.experiment);
    ASSERT_EQ(examples.size(), 1U) << entry.experiment.name;
    EXPECT_EQ(examples[0].lanes.back().label, "target");
    EXPECT_GT(examples[0].lanes.back().symbols.size(), 1U) << entry.experiment.name;
  }
  const auto lanes = examples_of(find("look-ahead").experiment).at(0).lanes;
  const Texts& input = lanes.at(0).symbols;
  const Texts& answer = lanes.at(1).symbols;
  ASSERT_EQ(input.size(), answer.size());
  const std::ptrdiff_t ahead = std::ranges::find(answer, "·") - answer.begin();
  EXPECT_EQ(Texts(input.end() - ahead, input.end()), Texts(answer.begin(), answer.begin() + ahead));
}

TEST(Examples, MarksAndValuesKeepTheirNamesInBothVariants) {
  for (const char* variant : {"text", "script"}) {
    const auto lanes = examples_of(in_variant(find("adding-100"), variant)).at(0).lanes;
    ASSERT_EQ(lanes.size(), 3U);
    double marks = 0;
    double sum = 0;
    for (std::size_t i = 0; i < 100; ++i) {
      marks += lanes[0].values.at(i);
      sum += lanes[0].values.at(i) * lanes[1].values.at(i);
    }
    EXPECT_EQ(marks, 2);
    EXPECT_NEAR(std::stod(lanes[2].symbols.at(0)), sum, 6e-4);
  }
}

TEST(Examples, OfMnistNeedItsFiles) {
  const io::TempFolder folder;
  ASSERT_EQ(::setenv("RWA_DATA", folder.path().c_str(), 1), 0);
  EXPECT_TRUE(examples_of(find("mnist").experiment).empty());
  for (const MnistFile& file : kMnistFiles) io::put(folder.path() / file.name, "damaged");
  EXPECT_TRUE(examples_of(find("mnist").experiment).empty());
}

}  // namespace
}  // namespace rwa::paper

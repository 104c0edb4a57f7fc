// tests/paper/study_test.cc: studies as data, their runs, and the resulting figure and table.
#include "paper/study.h"

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "io/io_testing.h"
#include "paper/gradients.h"
#include "paper/plan.h"
#include "paper/report.h"
#include "paper_testing.h"
#include "rwa/errors.h"

namespace rwa::paper {
namespace {

using Texts = std::vector<std::string>;

const std::string kGood =
    "title = \"A\"\nquestion = \"B\"\ndraw = \"curves\"\n[[experiment]]\nname = \"grammar\"\n"
    "steps = 7\nmeasure = [{ text = \"C\", measure = \"loss-below\", threshold = 0.5 }]\n";
const std::string kRun = "[[run]]\nname = \"small\"\nnetwork = { cell = \"gru\", units = 9 }\n";

Study parse(const std::string& text) { return parse_study(text, "mine", "mine.toml"); }

Texts names_of(const std::vector<Case>& cases) {
  Texts names;
  for (const Case& one : cases) names.push_back(one.name);
  return names;
}

TEST(Study, HasRunsWithTheirChanges) {
  const Study study = parse(kGood + kRun + "[[run]]\nname = \"lstm\"\nnetwork.cell = \"lstm\"\n");
  EXPECT_EQ(names_of(study.cases), (Texts{"small", "lstm"}));
  ASSERT_EQ(study.experiments.size(), 1U);
  ASSERT_EQ(study.experiments[0].runs.size(), 2U);
  const training::Experiment& small = study.experiments[0].runs[0];
  training::Experiment expected = find("grammar").experiment;
  expected.variant = "mine";
  expected.model = "small";
  expected.network.cell = Cell::kGru;
  expected.network.units = 9;
  expected.training.steps = 7;
  EXPECT_EQ(small, expected);
  EXPECT_EQ(training::model_name(study.experiments[0].runs[1]), "lstm");
  ASSERT_EQ(study.experiments[0].measures.size(), 1U);
  EXPECT_EQ(study.experiments[0].measures[0].threshold, 0.5);
}

TEST(Study, HasEveryCombinationOfWhatIsVaried) {
  std::string text = kGood;
  text.replace(text.find("\"curves\""), 8, "\"measure\"\nx = \"training.learning_rate\"");
  const Study study = parse(text +
                            "[vary]\nnetwork.cell = [\"rwa\", \"lstm\"]\n"
                            "training.learning_rate = [1e-3, 0.5]\n");
  EXPECT_EQ(names_of(study.cases), (Texts{"rwa-learning_rate-0.001", "rwa-learning_rate-0.5",
                                          "lstm-learning_rate-0.001", "lstm-learning_rate-0.5"}));
  EXPECT_EQ(study.cases[1].curve, "rwa");
  EXPECT_EQ(study.cases[1].label, "RWA, learning rate 0.5");
  EXPECT_EQ(study.cases[1].curve_label, "RWA");
  EXPECT_EQ(study.cases[1].x, 0.5);
  const training::Experiment& last = study.experiments.at(0).runs.at(3);
  EXPECT_EQ(last.network.cell, Cell::kLstm);
  EXPECT_EQ(last.training.learning_rate, 0.5);
}

TEST(Study, RefusesAFileWithAMistake) {
  const auto refuse = [](const std::string& text, std::initializer_list<std::string_view> parts) {
    io::expect_error<ConfigError>([&] { parse(text); }, parts);
  };
  EXPECT_NO_THROW(parse(kGood + kRun));
  refuse("title = \n", {"mine.toml:1", "invalid TOML"});
  refuse("title = \"A\"\n", {"mine.toml", "'question'", "missing"});
  refuse(kGood, {"mine.toml", "[[run]]", "[vary]"});
  refuse("colour = 3\n" + kGood + kRun, {"mine.toml:1", "'colour'", "unknown"});
  refuse(kGood + kRun + kRun, {"mine.toml:11", "run 2", "'small'", "twice"});
  refuse(kGood + "[[run]]\nnetwork.units = 3\n", {"mine.toml:8", "run 1", "'name'"});
  refuse(kGood + "[[run]]\nname = \"../a\"\n", {"mine.toml:8", "'../a'", "folder"});
  refuse(kGood + "[[run]]\nname = \"a\"\nseed = 3\n", {"mine.toml:10", "seed is 3", "a table"});
  refuse(kGood + "[[run]]\nname = \"a\"\nnetwork.unit = 3\n", {"mine.toml:10", "'unit'"});
  refuse(kGood + "[[run]]\nname = \"a\"\nnetwork.units = 0\n", {"mine.toml:10", "units is 0"});
  refuse(kGood + "[vary]\nnetwork.units = 3\n", {"mine.toml:9", "network.units is 3", "list"});
  refuse(kGood + "[vary]\nnetwork.units = [3, 0]\n", {"mine.toml:9", "units is 0"});
  refuse(kGood + "[vary]\nunits = [3]\n", {"mine.toml:9", "units is an array", "table"});
  refuse(kGood + "[vary]\n", {"mine.toml:8", "vary", "lists"});

  const auto instead = [](const std::string& part, const std::string& other) {
    std::string text = kGood + kRun;
    return text.replace(text.find(part), part.size(), other);
  };
  refuse(instead("\"curves\"", "\"luck\""), {"mine.toml:3", "draw", "'luck'", "gradients"});
  refuse(instead("\"curves\"", "\"measure\""), {"mine.toml", "'x'", "missing"});
  refuse(instead("\"grammar\"", "\"gramar\""), {"mine.toml:5", "'gramar'", "grammar"});
  refuse(instead("steps = 7", "steps = 0"), {"mine.toml", "experiment 1", "'steps' is 0"});
  refuse(instead("steps = 7", "stops = 7"), {"mine.toml", "experiment 1", "'steps'", "missing"});
  refuse(instead("steps = 7", "steps = 7\nof = 3"), {"mine.toml:7", "experiment 1", "'of'"});
  refuse(instead("loss-below", "luck"), {"mine.toml:7", "measure", "'luck'", "loss-below"});
  refuse(instead("threshold", "treshold"), {"mine.toml:7", "measure 1", "'treshold'"});
  refuse(instead("measure =", "measures ="), {"mine.toml", "'measure'", "missing"});

  const std::string against = instead("\"curves\"", "\"measure\"\nx = \"training.batch\"");
  refuse(against + "[vary]\nnetwork.units = [3]\n", {"mine.toml", "'training.batch'"});
}

TEST(Study, ThoseOfTheProgramCanBePlanned) {
  EXPECT_EQ(names_of_studies(),
            (Texts{"equal-parameters", "figure-1", "forgetting", "gradient-flow", "step-size"}));
  std::set<std::string> folders;
  std::size_t count = 0;
  for (const Study& study : studies()) {
    EXPECT_FALSE(study.question.empty());
    Request request;
    request.names = {study.name};
    for (const PlannedRun& run : plan(request)) {
      folders.insert(run.folder.string());
      ++count;
      const auto shape = tasks::facts(run.experiment.task).shape;
      EXPECT_NO_THROW(training::model_config(run.experiment, shape)) << run.folder;
      EXPECT_EQ(training::parse_experiment(training::format_experiment(run.experiment), ""),
                run.experiment);
    }
  }
  EXPECT_EQ(count, 3U * 2 + 2 * 3 + 4 * 8 + 2 + 2 * 20);
  EXPECT_EQ(folders.size(), count);
}

TEST(Study, TheProgramsAskWhatTheySay) {
  const auto run = [](const char* name, const char* study, const char* model) {
    return experiment_of(name, study, model);
  };
  EXPECT_EQ(run("mnist", "equal-parameters", "rwa-355-units").network.units, 355);
  EXPECT_EQ(run("mnist-permuted", "forgetting", "rwa-forget-0.75").network.lasting, 0.75);
  EXPECT_EQ(run("copy-100", "forgetting", "gru").training.steps, 12'000);
  const auto step = run("copy-100", "step-size", "lstm-clip_norm-1-learning_rate-0.1");
  EXPECT_EQ(step.training.clip_norm, 1);
  EXPECT_EQ(step.training.learning_rate, 0.1);
  EXPECT_EQ(step.training.steps, 6'000);
  io::expect_error<ConfigError>([&] { run("grammar", "forgetting", "rwa"); }, {"'grammar'"});
  io::expect_error<ConfigError>([&] { run("mnist", "figure-1", "gru"); }, {"'gru'", "figure-1"});
}

const StudyResult& only(const Report& made) { return made.studies.at(0); }

Texts row(const report::Table& table, std::size_t index) {
  Texts texts;
  for (const auto& cell : table.rows.at(index)) texts.push_back(cell.text);
  return texts;
}

TEST(StudyResult, HasARowForEachCaseAndAPanelForEachExperimentThatWasRun) {
  const auto points = [](std::int64_t at, std::int64_t last) {
    return turning(at, last, {0, 0.3, 0.5}, {0, 0.005, 0.9});
  };
  const std::vector<training::Record> runs = {
      record("copy-100", "forgetting", "rwa", 1, points(4000, 12'000)),
      record("copy-100", "forgetting", "rwa-forget-0.5", 1, points(2000, 12'000)),
      record("copy-100", "forgetting", "rwa-forget-0.5", 2, points(3000, 12'000)),
      record("mnist", "forgetting", "rwa", 1, points(100, 10'000)),
      record("mnist", "forgetting", "gru", 1, points(100, 5'000)),
  };
  const Report made = make_report(runs, "");
  EXPECT_TRUE(made.left_out.empty());
  EXPECT_TRUE(made.summary.rows.empty());  // no run of the catalogue's own
  ASSERT_EQ(made.studies.size(), 1U);
  const report::Table& table = only(made).table;
  EXPECT_EQ(table.header.size(), 7U);
  EXPECT_EQ(table.header[1], "mnist: final accuracy");
  EXPECT_EQ(table.header[3], "copy-100: loss below 0.1 bits");
  ASSERT_EQ(table.rows.size(), 3U);
  EXPECT_EQ(row(table, 0), (Texts{"RWA", "90.0 %", "—", "4,000", "4,000", "—", "—"}));
  EXPECT_EQ(row(table, 1), (Texts{"GRU", "training incomplete", "—", "—", "—", "—", "—"}));
  EXPECT_EQ(row(table, 2), (Texts{"rwa-forget-0.5", "—", "—", "2,500 (2,000 to 3,000)",
                                  "2,500 (2,000 to 3,000)", "—", "—"}));

  const report::Figure& figure = only(made).figure;
  EXPECT_EQ(figure.id, "study-forgetting");
  ASSERT_EQ(figure.panels.size(), 2U);
  EXPECT_EQ(made.figures.back().id, figure.id);
  const report::Chart& copy = figure.panels[1];
  ASSERT_EQ(copy.curves.size(), 3U);  // two models and the baseline
  EXPECT_EQ(copy.curves[0].role, report::Role::kRwa);
  EXPECT_EQ(copy.curves[1].label, "rwa-forget-0.5");
  EXPECT_EQ(copy.curves[1].low.size(), copy.curves[1].x.size());
}

TEST(StudyResult, MayBeDrawnAgainstWhatIsVaried) {
  std::vector<training::Record> runs;
  for (const auto& [rate, loss] : {std::pair("0.001", 0.1), std::pair("0.01", 0.2)}) {
    runs.push_back(record("adding-100", "step-size",
                          std::string("rwa-clip_norm-0-learning_rate-") + rate, 1,
                          turning(0, 3000, {}, {0, loss, {}})));
  }
  runs.push_back(record("adding-100", "step-size", "rwa-clip_norm-0-learning_rate-0.1", 1,
                        turning(9000, 300, {0, 9, {}}, {})));
  runs.back().status = training::Status::kDiverged;
  runs.back().metrics.pop_back();
  const Report made = make_report(runs, "");
  EXPECT_TRUE(made.left_out.empty());
  const report::Chart& chart = only(made).figure.panels.at(0);
  EXPECT_TRUE(chart.log_x);
  EXPECT_TRUE(chart.log_y);
  EXPECT_EQ(chart.x_label, "learning rate");
  EXPECT_EQ(chart.y_label, "final MSE");
  EXPECT_EQ(chart.curves.at(0).label, "RWA, clip norm 0");
  EXPECT_EQ(chart.curves[0].x, (std::vector<double>{0.001, 0.01}));
  EXPECT_EQ(chart.curves[0].y, (std::vector<double>{0.1, 0.2}));
  ASSERT_EQ(only(made).table.rows.size(), 3U);
  EXPECT_EQ(row(only(made).table, 2),
            (Texts{"RWA, clip norm 0, learning rate 0.1", "diverged", "diverged", "—", "—"}));
}

TEST(StudyResult, ShowsGradientsThatLieBesideARun) {
  const io::TempFolder folder;
  training::Record run = record("adding-1000", "gradient-flow", "lstm", 1, losses({1, 1}));
  run.folder = folder.path();
  const Report without = make_report({run}, "");
  EXPECT_TRUE(only(without).figure.panels.at(0).curves.empty());
  EXPECT_TRUE(only(without).table.rows.empty());

  io::put(folder.path() / kGradientsFile,
          format_gradients({.untrained = {1e-9, 1e-3, 0.5}, .trained = {0.25, 0.5, 1}}));
  const Report made = make_report({run}, "");
  const report::Chart& chart = only(made).figure.panels.at(0);
  EXPECT_TRUE(chart.log_y);
  ASSERT_EQ(chart.curves.size(), 2U);
  EXPECT_EQ(chart.curves[0].label, "LSTM");
  EXPECT_EQ(chart.curves[0].role, report::Role::kLstm);
  EXPECT_EQ(chart.curves[0].x, (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(chart.curves[1].label, "LSTM, untrained");
  EXPECT_EQ(chart.curves[1].y, (std::vector<double>{1e-9, 1e-3, 0.5}));
  EXPECT_EQ(row(only(made).table, 0), (Texts{"adding-1000", "LSTM", "0.25", "0.5", "1", "0.25"}));

  io::put(folder.path() / kGradientsFile, "step,untrained,trained\n1,0.5,-1\n");
  io::expect_error<InputError>([&] { make_report({run}, ""); }, {"gradients.csv:2:7", "0 or more"});
}

TEST(StudyResult, ARunThatIsNotTheStudysIsLeftOut) {
  training::Record run = record("copy-100", "forgetting", "rwa", 1, losses({1, 1}));
  run.experiment.network.units = 3;
  const Report made = make_report({run}, "");
  EXPECT_TRUE(made.studies.empty());
  ASSERT_EQ(made.left_out.size(), 1U);
  EXPECT_NE(made.left_out[0].find("network.units: 3 there, 250 here"), std::string::npos);
}

}  // namespace
}  // namespace rwa::paper

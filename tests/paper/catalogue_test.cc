// tests/paper/catalogue_test.cc: checks the nine files against a second copy of what the paper and
// the released scripts say.
#include "paper/catalogue.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "io/io_testing.h"
#include "rwa/cells.h"
#include "rwa/errors.h"
#include "rwa/model.h"

namespace rwa::paper {
namespace {

using io::expect_error;
using Texts = std::vector<std::string>;

struct Expected {
  std::string name;
  int figure;
  std::int64_t steps;
  int inputs, outputs, longest;
  Readout readout;
  double naive_loss;
  double script_naive_loss;
  std::set<std::string> script_changes;  // besides the variant's name
};

const std::vector<Expected>& expected() {
  const double copy_100 = 10 * 3 / 120.0;
  const double copy_1000 = 10 * 3 / 1020.0;
  const double copy_script = 10 * std::log2(7);
  const std::set<std::string> length = {"task.longest", "task.values"};
  const std::set<std::string> copy = {"task.symbols", "task.delimiter_places"};
  const std::set<std::string> adding = {"task.order"};
  const std::set<std::string> mnist = {"evaluation.final_draws"};
  using enum Readout;
  static const std::vector<Expected> all = {
      {"grammar", 2, 10'000, 7, 1, 0, kLast, 1, 1, {"task.train", "task.cut_test_by_first_length"}},
      {"length-100", 3, 20'000, 1, 1, 100, kLast, 1, 1, length},
      {"length-1000", 3, 20'000, 1, 1, 1000, kLast, 1, 1, length},
      {"copy-100", 4, 50'000, 10, 9, 120, kEvery, copy_100, copy_script / 120, copy},
      {"copy-1000", 4, 50'000, 10, 9, 1020, kEvery, copy_1000, copy_script / 1020, copy},
      {"adding-100", 5, 50'000, 2, 1, 100, kLast, 1 / 6.0, 1 / 6.0, adding},
      {"adding-1000", 5, 50'000, 2, 1, 1000, kLast, 1 / 6.0, 1 / 6.0, adding},
      {"mnist", 6, 250'000, 1, 10, 784, kLast, std::log2(10), std::log2(10), mnist},
      {"mnist-permuted", 6, 250'000, 1, 10, 784, kLast, std::log2(10), std::log2(10), mnist},
  };
  return all;
}

// The paper's experiments.
std::vector<Entry> the_nine() {
  std::vector<Entry> entries(catalogue().begin(), catalogue().end());
  std::erase_if(entries, [](const Entry& entry) { return !is_of_paper(entry); });
  return entries;
}

TEST(Catalogue, BeginsWithTheNineInThePapersOrder) {
  ASSERT_EQ(the_nine().size(), expected().size());
  for (std::size_t i = 0; i < expected().size(); ++i) {
    const Entry& entry = catalogue()[i];
    EXPECT_EQ(entry.experiment.name, expected()[i].name);
    EXPECT_EQ(entry.figure, expected()[i].figure);
    EXPECT_FALSE(entry.title.empty());
    EXPECT_FALSE(entry.summary.empty());
    EXPECT_FALSE(entry.script_differs.empty());
  }
}

TEST(Catalogue, AllHaveThePapersSettings) {
  for (const Expected& paper : expected()) {
    const training::Experiment& experiment = find(paper.name).experiment;
    EXPECT_EQ(experiment.variant, "text");
    EXPECT_EQ(experiment.seed, 1U);
    EXPECT_EQ(experiment.network, (training::Network{Cell::kRwa, Activation::kTanh, 250}));
    EXPECT_EQ(experiment.training,
              (training::Training{paper.steps, 100, 1e-3, 0.9, 0.999, 1e-8, 0}));
    EXPECT_EQ(experiment.evaluation, (training::Evaluation{100, 100, false}));
  }
}

TEST(Catalogue, TheTasksAreThePapers) {
  for (const Expected& paper : expected()) {
    const auto [shape, naive] = tasks::facts(find(paper.name).experiment.task);
    EXPECT_EQ(shape.inputs, paper.inputs) << paper.name;
    EXPECT_EQ(shape.outputs, paper.outputs) << paper.name;
    EXPECT_EQ(shape.readout, paper.readout) << paper.name;
    if (paper.longest > 0) {  // sentences of the grammar have no limit
      EXPECT_EQ(shape.longest, paper.longest) << paper.name;
    }
    EXPECT_DOUBLE_EQ(naive.loss, paper.naive_loss) << paper.name;
  }
}

TEST(Catalogue, TheScriptsDifferWhereTheyAreKnownTo) {
  for (const Expected& paper : expected()) {
    const Entry& entry = find(paper.name);
    const training::Experiment& script = in_variant(entry, "script");
    std::set<std::string> changes;
    for (const std::string& line : training::differences(entry.experiment, script)) {
      changes.insert(line.substr(0, line.find(':')));
    }
    std::set<std::string> known = paper.script_changes;
    known.insert("variant");
    EXPECT_EQ(changes, known) << paper.name;
    EXPECT_DOUBLE_EQ(tasks::facts(script.task).naive.loss, paper.script_naive_loss) << paper.name;
  }
}

TEST(Catalogue, TheScriptsTasks) {
  const auto task = [](const char* name) { return in_variant(find(name), "script").task; };
  EXPECT_EQ(task("grammar"), tasks::Task(tasks::GrammarTask{10'000, 10'000, true}));
  EXPECT_EQ(task("length-100"), tasks::Task(tasks::LengthTask{99, 50, tasks::Values::kUniform}));
  EXPECT_EQ(task("length-1000"), tasks::Task(tasks::LengthTask{999, 500, tasks::Values::kUniform}));
  EXPECT_EQ(task("copy-100"), tasks::Task(tasks::CopyTask{10, 100, 7, 99}));
  EXPECT_EQ(task("copy-1000"), tasks::Task(tasks::CopyTask{10, 1000, 7, 999}));
  EXPECT_EQ(task("adding-100"),
            tasks::Task(tasks::AddingTask{100, tasks::AddingOrder::kValueIndicator}));
  EXPECT_EQ(task("adding-1000"),
            tasks::Task(tasks::AddingTask{1000, tasks::AddingOrder::kValueIndicator}));
  EXPECT_TRUE(in_variant(find("mnist"), "script").evaluation.final_draws);
  EXPECT_FALSE(in_variant(find("mnist"), "text").evaluation.final_draws);
}

// RWA: weights and biases of u, g, a (no bias), s_0 and the output. LSTM: four gates and output.
TEST(Catalogue, ParametersAreAsManyAsTheFormulasHave) {
  for (const Entry& entry : the_nine()) {
    const datasets::Shape shape = tasks::facts(entry.experiment.task).shape;
    const auto d = static_cast<std::size_t>(shape.inputs);
    const auto o = static_cast<std::size_t>(shape.outputs);
    const auto h = static_cast<std::size_t>(entry.experiment.network.units);
    const std::size_t output = h * o + o;
    const auto count = [&](const char* model) {
      return Model(training::model_config(with_model(entry, entry.experiment, model), shape))
          .parameter_count();
    };
    const std::size_t rwa = count(kRwa);
    const std::size_t lstm = count(kLstm);
    EXPECT_EQ(rwa, (d * h + h) + ((d + h) * h + h) + (d + h) * h + h + output);
    EXPECT_EQ(lstm, 4 * ((d + h) * h + h) + output);
    if (entry.experiment.name == "mnist") {
      EXPECT_EQ(rwa, 129'010U);
      EXPECT_EQ(lstm, 254'510U);
    }
  }
}

TEST(Catalogue, ThreeAreWorthAFirstLook) {
  std::map<std::string, std::int64_t> quick;
  for (const Entry& entry : the_nine()) {
    if (entry.quick_steps) quick[entry.experiment.name] = *entry.quick_steps;
  }
  EXPECT_EQ(quick, (std::map<std::string, std::int64_t>{
                       {"grammar", 2'000}, {"length-100", 1'000}, {"adding-100", 1'200}}));
}

// The claim, the words for RWA, and those for LSTM.
TEST(Catalogue, SaysWhatThePaperAndTheLogsSay) {
  using Lines = std::vector<Texts>;
  std::map<std::string, Lines> found;
  for (const Entry& entry : catalogue()) {
    for (const Claim& claim : entry.claims) {
      ASSERT_TRUE(claim.source == "paper" || claim.source == "logs");
      found[entry.experiment.name].push_back(
          {claim.text, claim.rwa ? claim.rwa->words : "", claim.lstm ? claim.lstm->words : ""});
    }
  }
  const std::map<std::string, Lines> known = {
      {"grammar",
       {{"100 % accuracy", "by step 600", "by step 1,000"}, {"accuracy of 99 %", "400", "1,000"}}},
      {"length-1000",
       {{"near 100 % accuracy", "under 100", "over 2,000"}, {"accuracy of 99 %", "100", "2,300"}}},
      {"copy-100",
       {{"beats the baseline", "about 1,000", "over 10,000"},
        {"loss below 0.1 bits", "4,000", "16,600"},
        {"loss below 0.01 bits", "7,200", "23,900"}}},
      {"copy-1000",
       {{"beats the baseline", "about 3,000", "barely, after 50,000"},
        {"loss below 0.01 bits", "8,400", "49,000"},
        {"loss below 0.001 bits", "13,400", "not within 50,000"}}},
      {"adding-100",
       {{"beats the baseline", "under 1,000", "about 3,000"},
        {"MSE below 0.01", "800", "3,500"},
        {"MSE below 0.001", "1,600", "5,300"}}},
      {"adding-1000",
       {{"beats the baseline", "about 1,000", "over 15,000"},
        {"MSE below 0.01", "1,400", "16,500"},
        {"MSE below 0.001", "2,300", "18,900"}}},
      {"mnist",
       {{"beats the baseline", "under 20,000",
         "considerably slower than RWA (over 1.5 × the steps)"},
        {"passes 10 % accuracy first", "before LSTM", ""},
        {"accuracy after 250,000 steps", "98.1 %", "99.0 %"},
        {"loss in bits after 250,000 steps", "0.175", "0.077"},
        {"parameters", "129,010", "254,510"}}},
      {"mnist-permuted",
       {{"beats the baseline", "slightly slower than on mnist (1 to 1.5 × the steps)",
         "faster than RWA"},
        {"accuracy after 250,000 steps", "93.5 %", "93.6 %"},
        {"loss in bits after 250,000 steps", "0.561", "0.577"}}},
  };
  EXPECT_EQ(found, known);
}

// The threshold of a measure must match the one in its text.
TEST(Catalogue, ThresholdsAreThoseOfTheWords) {
  for (const Entry& entry : catalogue()) {
    for (const Claim& claim : entry.claims) {
      if (claim.measure == Measure::kLossBelow) {
        EXPECT_EQ(std::stod(claim.text.substr(claim.text.find("0."))), claim.threshold);
      } else if (claim.measure == Measure::kAccuracyFrom) {
        EXPECT_EQ(std::stod(claim.text.substr(claim.text.find("of ") + 3)) / 100, claim.threshold);
      } else {
        EXPECT_EQ(claim.threshold, 0) << claim.text;
      }
    }
  }
}

TEST(Catalogue, ARangeForEachWayToSayANumber) {
  const auto said = [](const std::string& how, const std::string& measure = "beats") {
    return *parse_entry(
                "name = \"x\"\n[task]\nkind = \"grammar\"\n[paper]\ntitle = \"\"\n"
                "summary = \"\"\nscript_differs = \"\"\nfigure = 2\nplot = \"loss\"\n"
                "[[paper.claim]]\ntext = \"\"\nsource = \"paper\"\nmeasure = \"" +
                    measure + "\"\nrwa = { " + how + " }\n",
                "x.toml")
                .claims.at(0)
                .rwa;
  };
  const double infinity = std::numeric_limits<double>::infinity();
  const auto expect = [&](const Said& found, double at_least, double at_most) {
    EXPECT_DOUBLE_EQ(found.at_least, at_least) << found.words;
    EXPECT_DOUBLE_EQ(found.at_most, at_most) << found.words;
  };
  expect(said("at = 3000"), 2000, 4500);
  expect(said("about = 3000"), 2000, 4500);
  expect(said("by = 600"), 0, 900);
  expect(said("under = 100"), 0, 100);
  expect(said("over = 2000"), 2000, infinity);
  expect(said("exactly = 7", "parameters"), 7, 7);
  expect(said("at = 0.94", "final-accuracy"), 0.91, 0.96);
  EXPECT_FALSE(said("under = 1").against);
  EXPECT_EQ(said("against = \"lstm\", under = 1").against->experiment, "");
  EXPECT_EQ(said("against = \"lstm\", under = 1").against->model, kLstm);
  EXPECT_EQ(said("against = \"mnist.rwa\", under = 1").against->experiment, "mnist");
}

// An entry with these lines added.
Entry entry_with(const std::string& models) {
  return parse_entry(
      "name = \"x\"\n[task]\nkind = \"grammar\"\n[network]\nunits = 20\n[paper]\ntitle = \"\"\n"
      "summary = \"\"\nplot = \"loss\"\n" +
          models,
      "x.toml");
}

TEST(Catalogue, AnEntryMayNameItsNetworks) {
  const Entry entry = entry_with(
      "[[model]]\nname = \"deep\"\nnetwork = { cell = \"gru\", layers = 3 }\nright = true\n"
      "[[model]]\nname = \"lstm\"\nnetwork = { cell = \"lstm\", units = 7 }\n");
  EXPECT_FALSE(is_of_paper(entry));
  ASSERT_EQ(entry.models.size(), 2U);
  EXPECT_TRUE(entry.models[0].right);
  EXPECT_FALSE(entry.models[1].right);
  Texts models = {"deep", "lstm"};  // then every other cell
  for (const Cell cell : all_cells()) {
    if (cell != Cell::kLstm) models.emplace_back(to_string(cell));
  }
  EXPECT_EQ(models_of(entry), models);

  const training::Experiment deep = with_model(entry, entry.experiment, "deep");
  EXPECT_EQ(training::model_name(deep), "deep");
  EXPECT_EQ(deep.network.cell, Cell::kGru);
  EXPECT_EQ(deep.network.layers, 3);
  EXPECT_EQ(deep.network.units, 20);  // from the entry
  const training::Experiment lstm = with_model(entry, entry.experiment, "lstm");
  EXPECT_EQ(training::model_name(lstm), "lstm");
  EXPECT_EQ(lstm.network.units, 7);  // the entry's own model takes precedence
  EXPECT_EQ(with_model(entry, entry.experiment, "rwa-decay").network.cell, Cell::kRwaDecay);
  expect_error<ConfigError>([&] { with_model(entry, entry.experiment, "deeep"); },
                            {"'deeep'", "deep"});
}

TEST(Catalogue, RefusesAModelWithAMistake) {
  const auto refuse = [&](const std::string& text, std::initializer_list<std::string_view> parts) {
    expect_error<ConfigError>([&] { entry_with(text); }, parts);
  };
  refuse("[[model]]\nnetwork = { layers = 3 }\n", {"x.toml:10", "model 1", "'name'", "missing"});
  refuse("[[model]]\nname = \"a\"\nlayers = 3\n", {"x.toml:12", "model 1", "'layers'"});
  refuse("[[model]]\nname = \"a\"\nnetwork = { layer = 3 }\n", {"x.toml:12", "'layer'"});
  refuse("[[model]]\nname = \"a/b\"\n", {"x.toml:10", "'a/b'", "folder"});
  refuse("[[model]]\nname = \"a\"\n[[model]]\nname = \"a\"\n", {"x.toml:12", "'a'", "twice"});
}

// At least one network of each demonstration must be expected to learn it.
TEST(Catalogue, ThoseBeyondThePaperExpectSomethingOfTheirNetworks) {
  for (const Entry& entry : catalogue()) {
    if (is_of_paper(entry)) continue;
    const auto right = std::ranges::count(entry.models, true, &NamedModel::right);
    EXPECT_GT(right, 0) << entry.experiment.name;
    EXPECT_TRUE(entry.beats.accuracy || entry.beats.loss_fraction) << entry.experiment.name;
    const datasets::Shape shape = tasks::facts(entry.experiment.task).shape;
    for (const std::string& model : models_of(entry)) {
      EXPECT_NO_THROW(training::model_config(with_model(entry, entry.experiment, model), shape))
          << entry.experiment.name << " " << model;
    }
  }
}

TEST(Catalogue, NamesNearAnUnknownOne) {
  expect_error<ConfigError>([] { find("adding-10"); }, {"'adding-10'", "adding-100"});
  expect_error<ConfigError>([] { find("sorting"); }, {"'sorting'", "grammar", "mnist-permuted"});
  expect_error<ConfigError>([] { in_variant(find("grammar"), "scripts"); },
                            {"'scripts'", "grammar", "script"});
}

TEST(Catalogue, RefusesAFileWithAMistake) {
  const std::string good =
      "name = \"x\"\n[task]\nkind = \"grammar\"\n[paper]\ntitle = \"\"\nsummary = \"\"\n"
      "script_differs = \"\"\nfigure = 2\nplot = \"loss\"\n";
  EXPECT_NO_THROW(parse_entry(good, "x.toml"));
  const auto refuse = [&](const std::string& text, std::initializer_list<std::string_view> parts) {
    expect_error<ConfigError>([&] { parse_entry(text, "x.toml"); }, parts);
  };
  refuse(good + "log_z = true\n", {"x.toml", "paper", "'log_z'", "unknown"});
  refuse(good + "log_y = \"yes\"\n", {"x.toml:10", "log_y is \"yes\"", "true or false"});
  refuse("name = \"x\"\n[task]\nkind = \"grammar\"\n[paper]\n", {"x.toml", "'title'", "missing"});
  refuse("name = \"x\"\n[task]\nkind = \"grammar\"\n", {"x.toml", "'paper'", "missing"});
  refuse(good + "[[paper.claim]]\ntext = \"\"\nsource = \"\"\nmeasure = \"luck\"\n",
         {"x.toml:13", "measure", "'luck'", "beats"});
  refuse(good +
             "[[paper.claim]]\ntext = \"\"\nsource = \"\"\nmeasure = \"beats\"\n"
             "rwa = { under = 1, against = \"mnist.gur\" }\n",
         {"x.toml:14", "against", "'gur'"});
  refuse(std::string(good).replace(good.rfind("loss"), 4, "luck"), {"x.toml", "plot", "'luck'"});
  refuse(good +
             "[[paper.claim]]\ntext = \"\"\nsource = \"\"\nmeasure = \"beats\"\n"
             "rwa = { abuot = 3 }\n",
         {"x.toml:14", "rwa", "'abuot'"});
  refuse(good + "[quick]\nstep = 3\n", {"quick", "'step'", "steps"});
  refuse(good + "[variant.script.task]\nlength = 3\n", {"x.toml", "'length'"});
}

}  // namespace
}  // namespace rwa::paper

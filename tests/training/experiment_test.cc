#include "training/experiment.h"

#include <cmath>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "rwa/errors.h"
#include "training/run_testing.h"
#include "training/settings.h"

namespace rwa::training {
namespace {

const std::filesystem::path kResults =
    std::filesystem::path(RWA_TEST_DATA).parent_path().parent_path() / "paper/results";

const std::string kWhole = R"(name = "adding-100"
variant = "script"
model = "small-lstm"
seed = 3
device = "cpu"

[task]
kind = "adding"
steps = 100
order = "value-indicator"
train = 100000
test = 10000

[network]
cell = "lstm"
activation = "tanh"
units = 250
layers = 2
bidirectional = true
dropout = 0.5
embedding = 0
stem = ""
channels = 64
span = 0
lasting = 0.25
learned_decay = true
readout = "attention"
code = 0

[training]
steps = 10000
batch = 100
learning_rate = 0.001
beta1 = 0.9
beta2 = 0.999
epsilon = 1e-08
clip_norm = 0.0
noise = 0.0
shift = 0.0
schedule = "plateau"
truncate = 200

[evaluation]
every = 100
samples = 100
patience = 9
final_draws = true
)";

TEST(Experiment, IsWrittenAsItIsRead) {
  const Experiment experiment = parse_experiment(kWhole, "whole.toml");
  EXPECT_EQ(experiment.seed, 3U);
  EXPECT_EQ(std::get<tasks::AddingTask>(experiment.task).order,
            tasks::AddingOrder::kValueIndicator);
  EXPECT_EQ(experiment.model, "small-lstm");
  EXPECT_EQ(experiment.network.cell, Cell::kLstm);
  EXPECT_EQ(experiment.network.readout, Readout::kAttention);
  EXPECT_EQ(experiment.training.schedule, Schedule::kPlateau);
  EXPECT_EQ(experiment.training.truncate, 200);
  EXPECT_EQ(experiment.evaluation.patience, 9);
  EXPECT_TRUE(experiment.evaluation.final_draws);
  EXPECT_EQ(format_experiment(experiment), kWhole);
}

TEST(Experiment, WhatIsMissingIsTheDefault) {
  Experiment expected;
  expected.name = "x";
  expected.task = tasks::CopyTask{};
  EXPECT_EQ(parse_experiment("name = 'x'\ntask.kind = 'copy'", "short.toml"), expected);
}

// As in older files, which have no model names.
TEST(Experiment, AModelWithoutANameIsCalledAsItsCell) {
  const std::string head = "name = 'x'\ntask.kind = 'copy'\nnetwork.cell = 'lstm'\n";
  const Experiment without = parse_experiment(head, "x.toml");
  EXPECT_EQ(model_name(without), "lstm");
  EXPECT_NE(format_experiment(without).find("\nmodel = \"lstm\"\n"), std::string::npos);
  EXPECT_EQ(parse_experiment("model = 'lstm'\n" + head, "x.toml"), without);
  const Experiment with = parse_experiment("model = 'other'\n" + head, "x.toml");
  EXPECT_EQ(model_name(with), "other");
  EXPECT_EQ(differences(without, with),
            std::vector<std::string>{"model: \"lstm\" there, \"other\" here"});
}

// The results in the repository were written by several versions.
TEST(Experiment, KeptResultsCanStillBeRead) {
  int found = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kResults)) {
    if (entry.path().filename() != kConfigFile) continue;
    const Experiment experiment = parse_experiment(io::get(entry.path()), entry.path().string());
    // The name of the folder contains the model.
    EXPECT_EQ(entry.path().parent_path().filename().string(),
              model_name(experiment) + "-seed" + std::to_string(experiment.seed));
    ++found;
  }
  EXPECT_GT(found, 0);
}

TEST(Stem, IsAListOfKernelSizes) {
  EXPECT_EQ(parse_stem("15,9,5"), (std::vector{15, 9, 5}));
  EXPECT_EQ(parse_stem("7"), std::vector{7});
  for (const char* none : {"", "0", "none"}) EXPECT_TRUE(parse_stem(none).empty()) << none;
  for (const char* text : {"a", "3,", ",3", "3;5", "3, 5", "0,3", "-1", "3.5", "99999999999"}) {
    io::expect_error<ConfigError>([&] { (void)parse_stem(text); },
                                  {std::string("stem is \"") + text + '"', "such as 15,9,5"});
  }
}

TEST(ModelConfigOfAnExperiment, HasEveryChoiceAndTheTasksShape) {
  Experiment e;
  e.seed = 5;
  e.task = tasks::AutoencodeTask{.longest = 9, .symbols = 7};
  e.network = {.cell = Cell::kRwaDecay,
               .activation = Activation::kIdentity,
               .units = 3,
               .layers = 2,
               .bidirectional = true,
               .dropout = 0.25,
               .embedding = 4,
               .stem = "15,9",
               .channels = 8,
               .span = 77,
               .lasting = 0.5,
               .learned_decay = false,
               .readout = Readout::kMean,
               .code = 6};
  const ModelConfig expected{.input = Input::kSymbols,
                             .inputs = 7,
                             .embedding = 4,
                             .stem = {15, 9},
                             .channels = 8,
                             .cell = Cell::kRwaDecay,
                             .activation = Activation::kIdentity,
                             .units = 3,
                             .layers = 2,
                             .bidirectional = true,
                             .dropout = 0.25,
                             .span = 77,
                             .lasting = 0.5,
                             .learned_decay = false,
                             .readout = Readout::kMean,
                             .outputs = 8,
                             .loss = Loss::kSoftmax,
                             .code = 6,
                             .seed = 5};
  EXPECT_EQ(model_config(e, tasks::facts(e.task).shape), expected);
}

TEST(ModelConfigOfAnExperiment, DefaultsFollowTheTask) {
  const auto config = [](const tasks::Task& task, const Network& network) {
    return model_config({.name = "x", .task = task, .network = network}, tasks::facts(task).shape);
  };
  EXPECT_EQ(config(tasks::CopyTask{}, {}).readout, Readout::kEvery);
  EXPECT_EQ(config(tasks::CopyTask{}, {}).span, 120);
  EXPECT_EQ(config(tasks::CopyTask{}, {}).code, 0);
  EXPECT_EQ(config(tasks::GrammarTask{}, {}).readout, Readout::kLast);
  EXPECT_EQ(config(tasks::AutoencodeTask{.longest = 9}, {.units = 33}).code, 33);
  EXPECT_EQ(config(tasks::AutoencodeTask{.longest = 9}, {}).span, 10);
  EXPECT_EQ(config(tasks::SpellingTask{}, {.layers = 0}).readout, Readout::kMean);

  const auto refuse = [&](const tasks::Task& task, const Network& network, std::string_view why) {
    io::expect_error<ConfigError>([&] { (void)config(task, network); }, {why});
  };
  refuse(tasks::CopyTask{}, {.readout = Readout::kMean},
         "readout is mean, expected every: the task has a target at every step");
  refuse(tasks::GrammarTask{}, {.readout = Readout::kEvery},
         "readout is every, expected last, mean or attention");
  refuse(tasks::GrammarTask{}, {.code = 5},
         "code is 5, expected 0: the task has no decoder targets");
}

TEST(Experiment, AWholeNumberIsANumber) {
  const auto experiment =
      parse_experiment("name = 'x'\ntask.kind = 'mnist'\ntraining.clip_norm = 5", "x.toml");
  EXPECT_EQ(experiment.training.clip_norm, 5.0);
}

rc::Gen<std::int64_t> positive() {
  return rc::gen::inRange<std::int64_t>(2, std::numeric_limits<std::int64_t>::max());
}
rc::Gen<int> small_positive() { return rc::gen::inRange(2, std::numeric_limits<int>::max()); }
rc::Gen<int> up_to(int most) { return rc::gen::inRange(2, most); }
rc::Gen<std::int64_t> steps() { return rc::gen::inRange<std::int64_t>(2, kMostSteps); }
// A number whose bits are random, in the range.
rc::Gen<double> any_in(const Real& range) {
  return rc::gen::suchThat(
      rc::gen::map(rc::gen::arbitrary<std::uint64_t>(),
                   [](std::uint64_t bits) {
                     const double value = std::abs(std::bit_cast<double>(bits));
                     return value > 1 && std::isfinite(value) ? 1 / value : value;
                   }),
      [=](double value) { return range.contains(value); });
}
// Random ASCII text; TOML restricts other bytes.
rc::Gen<std::string> text() {
  return rc::gen::container<std::string>(rc::gen::map(
      rc::gen::inRange(0, 128), [](int character) { return static_cast<char>(character); }));
}

datasets::FilesTask any_files() {
  const auto texts = rc::gen::container<std::vector<std::string>>(text());
  return {.train = *texts,
          .valid = *texts,
          .test = *texts,
          .format = *text(),
          .layout = *text(),
          .task = *text(),
          .target = *texts,
          .features = *texts,
          .id = *text(),
          .time = *text(),
          .label_from = *text(),
          .kmer = *up_to(formats::kMostKmer),
          .tokens = *text(),
          .lower = *rc::gen::arbitrary<bool>(),
          .missing = *text(),
          .scale = *text(),
          .window = *up_to(kMostLength),
          .stride = *up_to(kMostLength),
          .split = *any_in({.least = 0, .most = datasets::kMostSplit}),
          .folds = *up_to(datasets::kMostFolds),
          .fold = *up_to(datasets::kMostFolds),
          .balance = *rc::gen::arbitrary<bool>(),
          .sha256 = *text()};
}

tasks::Task any_task() {
  switch (*rc::gen::inRange(0, 11)) {
    case 0:
      return tasks::GrammarTask{.train = *positive(),
                                .test = *positive(),
                                .cut_test_by_first_length = *rc::gen::arbitrary<bool>()};
    case 1:
      return tasks::LengthTask{
          .longest = *small_positive(),
          .threshold = *small_positive(),
          .values = *rc::gen::element(tasks::Values::kNormal, tasks::Values::kUniform),
          .train = *positive(),
          .test = *positive()};
    case 2:
      return tasks::CopyTask{.remember = *small_positive(),
                             .delay = *small_positive(),
                             .symbols = *small_positive(),
                             .delimiter_places = *small_positive(),
                             .train = *positive(),
                             .test = *positive()};
    case 3:
      return tasks::AddingTask{.steps = *small_positive(),
                               .order = *rc::gen::element(tasks::AddingOrder::kIndicatorValue,
                                                          tasks::AddingOrder::kValueIndicator),
                               .train = *positive(),
                               .test = *positive()};
    case 4:
      return tasks::MultiCopyTask{.episodes = *small_positive(),
                                  .test_episodes = *small_positive(),
                                  .remember = *small_positive(),
                                  .delay = *small_positive(),
                                  .symbols = *small_positive(),
                                  .train = *positive(),
                                  .test = *positive()};
    case 5:
      return tasks::XorTask{.steps = *small_positive(),
                            .bits = *small_positive(),
                            .train = *positive(),
                            .test = *positive()};
    case 6:
      return tasks::LookAheadTask{.steps = *small_positive(),
                                  .ahead = *small_positive(),
                                  .symbols = *small_positive(),
                                  .train = *positive(),
                                  .test = *positive()};
    case 7:
      return tasks::AutoencodeTask{.shortest = *small_positive(),
                                   .longest = *small_positive(),
                                   .symbols = *small_positive(),
                                   .train = *positive(),
                                   .test = *positive()};
    case 8:
      return tasks::SpellingTask{.numbers = *small_positive(),
                                 .digits = *small_positive(),
                                 .base = *small_positive(),
                                 .train = *positive(),
                                 .test = *positive()};
    case 9:
      return any_files();
    default:
      return tasks::MnistTask{.permuted = *rc::gen::arbitrary<bool>()};
  }
}

Experiment any_experiment() {
  Experiment e;
  e.name = *text();
  e.variant = *text();
  e.model = "model " + *text();
  e.seed = static_cast<std::uint64_t>(*positive());
  e.device = *text();
  e.task = any_task();
  e.network = {.cell = *rc::gen::element(Cell::kRwa, Cell::kLstm, Cell::kRwaDecay),
               .activation = *rc::gen::element(Activation::kTanh, Activation::kIdentity),
               .units = *up_to(kMostSize),
               .layers = *up_to(kMostLayers),
               .bidirectional = *rc::gen::arbitrary<bool>(),
               .dropout = *any_in(kLessThanOne),
               .embedding = *up_to(kMostSize),
               .stem = *rc::gen::element<std::string>("", "none", "15,9", "3"),
               .channels = *up_to(kMostSize),
               .span = *up_to(kMostLength),
               .lasting = *any_in(kShare),
               .learned_decay = *rc::gen::arbitrary<bool>(),
               .readout = *rc::gen::element(Readout::kLast, Readout::kMean, Readout::kAttention),
               .code = *up_to(kMostSize)};
  e.training = {
      .steps = *steps(),
      .batch = *up_to(kMostInBatch),
      .learning_rate = *any_in(kBetweenNoneAndAll),
      .beta1 = *any_in(kLessThanOne),
      .beta2 = *any_in(kLessThanOne),
      .epsilon = *any_in({.least = 1e-37, .most = kHuge}),
      .clip_norm = *any_in(kShare),
      .noise = *any_in(kShare),
      .shift = *any_in(kLessThanOne),
      .schedule = *rc::gen::element(Schedule::kConstant, Schedule::kPlateau, Schedule::kCosine),
      .truncate = *up_to(kMostLength)};
  e.evaluation = {.every = *steps(),
                  .samples = *up_to(kMostInBatch),
                  .patience = *up_to(kMostPatience),
                  .final_draws = *rc::gen::arbitrary<bool>()};
  return e;
}

TEST(Experiment, AnyComesBackToTheLastBit) {
  EXPECT_TRUE(rc::check([] {
    const Experiment experiment = any_experiment();
    const std::string text = format_experiment(experiment);
    const Experiment back = parse_experiment(text, "any.toml");
    RC_ASSERT(back == experiment);
    RC_ASSERT(format_experiment(back) == text);
    RC_ASSERT(differences(back, experiment).empty());
  }));
}

TEST(Experiment, OfFilesHasListsOfTexts) {
  const std::string text =
      "name = 'x'\n[task]\nkind = 'files'\ntrain = ['a \\b\".csv', 'c.csv']\ntarget = []\n";
  const Experiment experiment = parse_experiment(text, "x.toml");
  datasets::FilesTask expected;
  expected.train = {"a \\b\".csv", "c.csv"};
  EXPECT_EQ(std::get<datasets::FilesTask>(experiment.task), expected);
  const std::string written = format_experiment(experiment);
  EXPECT_NE(written.find("\ntrain = [\"a \\\\b\\\".csv\", \"c.csv\"]\nvalid = []\n"),
            std::string::npos)
      << written;
  EXPECT_EQ(parse_experiment(written, "again.toml"), experiment);

  Experiment other = experiment;
  std::get<datasets::FilesTask>(other.task).train.pop_back();
  std::get<datasets::FilesTask>(other.task).balance = true;
  EXPECT_EQ(differences(experiment, other),
            (std::vector<std::string>{
                "task.train: [\"a \\\\b\\\".csv\", \"c.csv\"] there, [\"a \\\\b\\\".csv\"] here",
                "task.balance: false there, true here"}));
}

TEST(Experiment, ChangesLeaveTheOtherFields) {
  Experiment experiment = parse_experiment(kWhole, "whole.toml");
  Overrides::parse("task.train = 5\n[evaluation]\nevery = 7", "changes.toml").apply(experiment);
  EXPECT_EQ(differences(parse_experiment(kWhole, "whole.toml"), experiment),
            (std::vector<std::string>{"task.train: 100000 there, 5 here",
                                      "evaluation.every: 100 there, 7 here"}));
}

TEST(Experiment, DifferencesNameWhatDiffers) {
  const Experiment there = parse_experiment(kWhole, "whole.toml");
  Experiment here = there;
  EXPECT_TRUE(differences(there, here).empty());
  here.name = "other";
  here.training.learning_rate = 0.1;
  here.evaluation.final_draws = false;
  EXPECT_EQ(differences(there, here),
            (std::vector<std::string>{"name: \"adding-100\" there, \"other\" here",
                                      "training.learning_rate: 0.001 there, 0.1 here",
                                      "evaluation.final_draws: true there, false here"}));
  here = there;
  here.task = tasks::MnistTask{};
  EXPECT_EQ(differences(there, here),
            std::vector<std::string>{"task.kind: \"adding\" there, \"mnist\" here"});
}

// Sets one integer field of a task to the smallest value that a file may contain.
struct Lowest {
  int wanted = 0;
  int seen = 0;
  std::string name = {};

  void operator()(std::string_view field, Whole auto& value, int least) {
    if (seen++ != wanted) return;
    value = least;
    name = field;
  }
  void operator()(std::string_view, const auto&) {}
};

// The value may be too small for other fields, but then the error names those fields.
TEST(Experiment, TheLeastNumbersAreAlsoTheDatas) {
  const auto expect_openable = [](const auto& task) {
    for (Lowest lowest;; lowest = {.wanted = lowest.wanted + 1}) {
      auto low = task;
      describe(low, lowest);
      if (lowest.name.empty()) break;
      try {
        tasks::open_task(low, 1, {});
      } catch (const ConfigError& error) {
        EXPECT_FALSE(std::string(error.what()).starts_with(lowest.name)) << error.what();
      }
    }
  };
  expect_openable(tasks::GrammarTask{});
  expect_openable(tasks::LengthTask{});
  expect_openable(tasks::CopyTask{});
  expect_openable(tasks::AddingTask{});
  expect_openable(tasks::MultiCopyTask{});
  expect_openable(tasks::XorTask{});
  expect_openable(tasks::LookAheadTask{});
  expect_openable(tasks::AutoencodeTask{});
  expect_openable(tasks::SpellingTask{});
}

}  // namespace
}  // namespace rwa::training

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "io/io_testing.h"
#include "io/toml.h"
#include "rwa/cells.h"
#include "rwa/errors.h"
#include "training/settings.h"

namespace rwa::training {
namespace {

// Each case is a configuration and its whole error message.
TEST(Experiment, WhatIsWrongIsNamedWithItsPlace) {
  const std::string head = "name = 'x'\ntask.kind = 'adding'\n";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"name = ",
       "bad.toml:1:8: invalid TOML: Error while parsing key-value pair: encountered "
       "end-of-file"},
      {"[.",
       "bad.toml:1:2: invalid TOML: Error while parsing key: expected bare key starting character "
       "or string delimiter, saw '.'"},
      {"[[[x",
       "bad.toml:1:3: invalid TOML: Error while parsing key: expected bare key starting "
       "character or string delimiter, saw '['"},
      {"name = 'x' é",
       "bad.toml:1:12: invalid TOML: Error while parsing key-value pair: expected a comment or "
       "whitespace, saw 'é'"},
      {"task.kind = 'adding'", "bad.toml: the key 'name' is missing"},
      {"name = 'x'", "bad.toml: the key 'task' is missing"},
      {"name = 'x'\n[task]\n", "bad.toml:2:1: the key 'kind' is missing in [task]"},
      {"name = 'x'\n[task]\nsteps = 8", "bad.toml:2:1: the key 'kind' is missing in [task]"},
      {"nmae = 'x'\ntask.kind = 'adding'", "bad.toml:1:1: unknown key 'nmae', did you mean name?"},
      {"name = 'x'\ntask.kind = 'ading'",
       "bad.toml:2:13: unknown kind of task 'ading', did you mean adding?"},
      {"name = 'x'\ntask = 3", "bad.toml:2:8: task is 3, expected a table, [task]"},
      {head + "task.longest = 3",
       "bad.toml:3:6: unknown key 'longest' in [task], expected one of: kind, steps, order, train, "
       "test"},
      {head + "[network]\nunit = 3",
       "bad.toml:4:1: unknown key 'unit' in [network], did you mean "
       "units?"},
      {head + "[trainig]\nsteps = 3",
       "bad.toml:3:2: unknown key 'trainig', did you mean training?"},
      {head + "units = 3\nnetwork.layers = 2",
       "bad.toml:3:1: unknown key 'units', expected one of: name, variant, model, seed, device, "
       "task, network, training, evaluation"},
      {head + "training.epochs = 2\ntraining.steps = 3",
       "bad.toml:3:19: epochs and steps are both given, expected one of them"},
      {head + "sede = 3", "bad.toml:3:1: unknown key 'sede', did you mean seed?"},
      {head + "seed = -1",
       "bad.toml:3:8: seed is -1, expected a whole number from 0 to 9223372036854775807"},
      {head + "seed = 1.0",
       "bad.toml:3:8: seed is 1.0, expected a whole number from 0 to 9223372036854775807"},
      {head + "network.units = 3000000000",
       "bad.toml:3:17: units is 3000000000, expected a whole number from 1 to 1048576"},
      {head + "network.cell = 'rnn'",
       "bad.toml:3:16: unknown cell 'rnn', expected one of: " + cell_names()},
      {head + "network.readout = 'first'",
       "bad.toml:3:19: unknown readout 'first', expected one of: last, every, mean, attention"},
      {head + "network.cell = 5", "bad.toml:3:16: cell is 5, expected a string"},
      {head + "training.learning_rate = 'fast'",
       "bad.toml:3:26: learning_rate is \"fast\", expected a number of more than 0 and "
       "less than 1e+30"},
      {head + "training.learning_rate = nan",
       "bad.toml:3:26: learning_rate is nan, expected a number of more than 0 and "
       "less than 1e+30"},
      {head + "training.learning_rate = true",
       "bad.toml:3:26: learning_rate is true, expected a number of more than 0 and "
       "less than 1e+30"},
      {head + "evaluation.final_draws = 1",
       "bad.toml:3:26: final_draws is 1, expected true or false"},
      {head + "training.schedule = 'linear'",
       "bad.toml:3:21: unknown schedule 'linear', expected one of: constant, plateau, cosine"},
      {head + "evaluation.patience = -1",
       "bad.toml:3:23: patience is -1, expected a whole number from 0 to 1000000"},
      {"name = 'x'\ntask.kind = 'files'\ntask.train = 'a.csv'",
       "bad.toml:3:14: train is \"a.csv\", expected an array of strings"},
      {"name = 'x'\ntask.kind = 'files'\ntask.train = ['a.csv', 3]",
       "bad.toml:3:24: train is 3, expected an array of strings"},
      {head + "variant = [1]", "bad.toml:3:11: variant is an array, expected a string"},
      {head + "variant = 2017-03-06",
       "bad.toml:3:11: variant is a date or time, expected a string"},
  };
  for (const auto& [text, message] : cases) {
    try {
      parse_experiment(text, "bad.toml");
      ADD_FAILURE() << "no error for: " << text;
    } catch (const ConfigError& error) {
      EXPECT_EQ(error.what(), message) << text;
    }
  }
}

// Earlier builds had no limits for these but those of the network.
TEST(Experiment, OfAnEarlierBuildMayBeLarge) {
  const std::string text =
      "name = 'x'\ntask.kind = 'files'\nseed = 9223372036854775807\n"
      "network.units = 100000\ntraining.batch = 100000\nevaluation.samples = 1000000\n";
  const Experiment read = parse_experiment(text, "config.toml");
  EXPECT_EQ(read.training.batch, 100'000);
  EXPECT_EQ(read.seed, kMostSeed);
}

TEST(Seeds, CountUpAndStartAgain) {
  EXPECT_EQ(seed_after(5, 2), 7U);
  EXPECT_EQ(seed_after(kMostSeed, 0), kMostSeed);
  EXPECT_EQ(seed_after(kMostSeed, 2), 1U);
}

TEST(Experiment, HostileTextIsNotRepeatedAsItIs) {
  const auto parse = [](const std::string& text) { parse_experiment(text, "bad.toml"); };
  const std::string head = "name = 'x'\ntask.kind = 'adding'\n";
  const std::vector<std::string> texts = {
      head + "\"\\u001b[2J\" = 1", head + "network.cell = \"\\u001b[2J\"",
      head + "seed = \"\\u001b[2J\"", head + "\x1b[2J", "name = 'x'\ntask.kind = \"\\u001b[2J\""};
  for (const std::string& text : texts) {
    try {
      parse(text);
      ADD_FAILURE() << "no error for: " << text;
    } catch (const ConfigError& error) {
      EXPECT_EQ(std::string(error.what()).find('\x1b'), std::string::npos) << text;
    }
  }
  EXPECT_THROW(parse(std::string(100'000, '[')), ConfigError);
}

// Every setting of a training on files, with a value other than its default, in TOML. The test
// below fails if a setting has no entry.
const std::map<std::string, std::string> kOthers = {{"name", "'other'"},
                                                    {"seed", "5"},
                                                    {"device", "'cuda:1'"},
                                                    {"train", "['a', 'b']"},
                                                    {"valid", "['c']"},
                                                    {"test", "['d']"},
                                                    {"format", "'table'"},
                                                    {"layout", "'wide'"},
                                                    {"task", "'class'"},
                                                    {"target", "['y', 'z']"},
                                                    {"features", "['x']"},
                                                    {"id", "'who'"},
                                                    {"time", "'when'"},
                                                    {"label_from", "'file'"},
                                                    {"decimal", "','"},
                                                    {"kmer", "3"},
                                                    {"tokens", "'words'"},
                                                    {"lower", "true"},
                                                    {"context", "4"},
                                                    {"positions", "5"},
                                                    {"scale", "'none'"},
                                                    {"missing", "'mean'"},
                                                    {"window", "6"},
                                                    {"stride", "2"},
                                                    {"horizon", "3"},
                                                    {"season", "4"},
                                                    {"interval", "0.5"},
                                                    {"split", "0.25"},
                                                    {"balance", "true"},
                                                    {"folds", "4"},
                                                    {"cell", "'gru'"},
                                                    {"activation", "'identity'"},
                                                    {"units", "7"},
                                                    {"layers", "2"},
                                                    {"bidirectional", "true"},
                                                    {"dropout", "0.5"},
                                                    {"embedding", "8"},
                                                    {"stem", "'5,3'"},
                                                    {"channels", "6"},
                                                    {"span", "9"},
                                                    {"lasting", "0.75"},
                                                    {"learned_decay", "false"},
                                                    {"readout", "'mean'"},
                                                    {"epochs", "2.5"},
                                                    {"steps", "11"},
                                                    {"batch", "12"},
                                                    {"learning_rate", "0.125"},
                                                    {"beta1", "0.5"},
                                                    {"beta2", "0.75"},
                                                    {"epsilon", "0.0625"},
                                                    {"clip_norm", "3.0"},
                                                    {"noise", "0.5"},
                                                    {"shift", "0.25"},
                                                    {"schedule", "'cosine'"},
                                                    {"truncate", "13"},
                                                    {"every", "14"},
                                                    {"samples", "15"},
                                                    {"patience", "16"}};

Experiment of_files() {
  Experiment experiment;
  experiment.task = datasets::FilesTask{};
  return experiment;
}

TEST(Settings, EveryOneIsTestedAndExplained) {
  std::size_t offered = 0;
  for (const SettingInfo& setting : list_settings(of_files())) {
    if (!is_offered(setting, Scope::kFiles)) continue;
    ++offered;
    EXPECT_TRUE(kOthers.contains(setting.name)) << setting.name;
    EXPECT_GT(setting.help.size(), 5U) << setting.name;
    EXPECT_TRUE(setting.kind != SettingInfo::Kind::kChoice || !setting.choices.empty());
  }
  EXPECT_EQ(offered, kOthers.size());
}

TEST(Settings, NamesAreUniqueWithoutTheirTables) {
  std::set<std::string> names;
  for (const SettingInfo& setting : list_settings(of_files())) {
    if (is_offered(setting, Scope::kFiles)) {
      EXPECT_TRUE(names.insert(setting.name).second) << setting.name;
    }
  }
}

// In a table as in a file, and by name alone as for options and keyword arguments.
TEST(Settings, EveryOneCanBeSetByEitherWay) {
  for (const SettingInfo& setting : list_settings(of_files())) {
    if (!is_offered(setting, Scope::kFiles)) continue;
    const std::string line = setting.name + " = " + kOthers.at(setting.name) + "\n";
    Experiment by_table = of_files();
    const std::string table = setting.table.empty() ? "" : "[" + setting.table + "]\n";
    Overrides::parse(table + line, "x.toml").apply(by_table);
    Experiment by_name = of_files();
    io::Value::Table given = io::parse_toml(line, "options");
    Overrides overrides;
    overrides.take(given, Scope::kFiles);
    EXPECT_TRUE(given.empty()) << setting.name;
    EXPECT_TRUE(overrides.has(setting.path()));
    overrides.apply(by_name);
    EXPECT_EQ(by_table, by_name) << setting.name;
    EXPECT_NE(by_table, of_files()) << setting.name;
  }
}

TEST(Settings, SequencesInMemoryHaveNoSettingsOfFiles) {
  const auto taken = [](const std::string& toml) {
    io::Value::Table given = io::parse_toml(toml, "options");
    Overrides().take(given, Scope::kSequences);
    return given.empty();
  };
  EXPECT_TRUE(taken("units = 3"));
  EXPECT_TRUE(taken("window = 3"));
  EXPECT_FALSE(taken("format = 'table'"));
  EXPECT_FALSE(taken("train = ['x']"));
  EXPECT_FALSE(taken("sha256 = 'x'"));  // for configuration files only
}

TEST(Overrides, LaterOnesComeFirst) {
  Overrides below = Overrides::parse("seed = 1\n[network]\nunits = 2\nlayers = 3", "below");
  below.add(Overrides::parse("seed = 4\n[network]\nunits = 5\n[training]\nbatch = 6", "above"));
  Experiment experiment = of_files();
  below.apply(experiment);
  EXPECT_EQ(experiment.seed, 4U);
  EXPECT_EQ(experiment.network.units, 5);
  EXPECT_EQ(experiment.network.layers, 3);
  EXPECT_EQ(experiment.training.batch, 6);
  below.remove("network.layers");
  EXPECT_FALSE(below.has("network.layers"));
  EXPECT_TRUE(below.has("network.units"));
}

}  // namespace
}  // namespace rwa::training

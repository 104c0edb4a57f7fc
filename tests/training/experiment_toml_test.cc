// tests/training/experiment_toml_test.cc: what is said about files that hold no experiment.
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "rwa/errors.h"
#include "training/experiment.h"

namespace rwa::training {
namespace {

// What is written, and the whole of what is said about it.
TEST(Experiment, WhatIsWrongIsNamedWithItsPlace) {
  const std::string head = "name = 'x'\ntask.kind = 'adding'\n";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"name = ",
       "bad.toml:1:8: not TOML: Error while parsing key-value pair: encountered "
       "end-of-file"},
      {"[.",
       "bad.toml:1:2: not TOML: Error while parsing key: expected bare key starting character "
       "or string delimiter, saw '.'"},
      {"[[[x",
       "bad.toml:1:3: not TOML: Error while parsing key: expected bare key starting "
       "character or string delimiter, saw '['"},
      {"task.kind = 'adding'", "bad.toml: the key 'name' is missing"},
      {"name = 'x'", "bad.toml: the key 'task' is missing"},
      {"name = 'x'\n[task]\n", "bad.toml: the key 'kind' is missing in [task]"},
      {"name = 'x'\n[task]\nsteps = 8", "bad.toml: the key 'kind' is missing in [task]"},
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
      {head + "sede = 3", "bad.toml:3:1: unknown key 'sede', did you mean seed?"},
      {head + "seed = -1",
       "bad.toml:3:8: seed is -1, expected a whole number from 0 to 9223372036854775807"},
      {head + "seed = 1.0",
       "bad.toml:3:8: seed is 1.0, expected a whole number from 0 to 9223372036854775807"},
      {head + "network.units = 3000000000",
       "bad.toml:3:17: units is 3000000000, expected a whole number from 1 to 2147483647"},
      {head + "network.cell = 'rnn'",
       "bad.toml:3:16: unknown cell 'rnn', expected one of: rwa, rwa-forget, rwa-decay, lstm, gru"},
      {head + "network.readout = 'first'",
       "bad.toml:3:19: unknown readout 'first', expected one of: last, every, mean, attention"},
      {head + "network.cell = 5", "bad.toml:3:16: cell is 5, expected a text in quotes"},
      {head + "training.learning_rate = 'fast'",
       "bad.toml:3:26: learning_rate is \"fast\", expected a finite number"},
      {head + "training.learning_rate = nan",
       "bad.toml:3:26: learning_rate is nan, expected a finite number"},
      {head + "training.learning_rate = true",
       "bad.toml:3:26: learning_rate is true, expected a finite number"},
      {head + "evaluation.final_draws = 1",
       "bad.toml:3:26: final_draws is 1, expected true or false"},
      {head + "training.schedule = 'linear'",
       "bad.toml:3:21: unknown schedule 'linear', expected one of: constant, plateau, cosine"},
      {head + "evaluation.patience = -1",
       "bad.toml:3:23: patience is -1, expected a whole number from 0 to 2147483647"},
      {"name = 'x'\ntask.kind = 'files'\ntask.train = 'a.csv'",
       "bad.toml:3:14: train is \"a.csv\", expected an array of texts in quotes"},
      {"name = 'x'\ntask.kind = 'files'\ntask.train = ['a.csv', 3]",
       "bad.toml:3:24: train[1] is 3, expected a text in quotes"},
      {head + "variant = [1]", "bad.toml:3:11: variant is an array, expected a text in quotes"},
      {head + "variant = 2017-03-06",
       "bad.toml:3:11: variant is a date or time, expected a text in quotes"},
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

}  // namespace
}  // namespace rwa::training

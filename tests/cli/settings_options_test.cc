// tests/cli/settings_options_test.cc: tests that options become settings.
#include "settings_options.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "io/io_testing.h"
#include "io/toml.h"
#include "rwa/errors.h"
#include "workflows/defaults.h"

namespace rwa::cli {
namespace {

training::Experiment typed(const std::vector<std::string>& words) {
  const Parser parser("rwa", "");
  GivenSettings given;
  given.add_options(parser.program(), is_setting_of_files);
  std::vector<const char*> arguments = {"rwa"};
  for (const std::string& word : words) arguments.push_back(word.c_str());
  EXPECT_TRUE(parser.run(static_cast<int>(arguments.size()), arguments.data()));
  training::Experiment experiment = workflows::default_experiment();
  given.overrides().apply(experiment);
  return experiment;
}

datasets::FilesTask task(const std::vector<std::string>& words) {
  return std::get<datasets::FilesTask>(typed(words).task);
}

// An argument that differs from the default.
std::string argument_of(const training::SettingInfo& setting) {
  using Kind = training::SettingInfo::Kind;
  switch (setting.kind) {
    case Kind::kTruth:
      return *setting.value.get<bool>() ? "false" : "true";
    case Kind::kWhole:
      return "17";
    case Kind::kNumber:
      return "0.375";
    case Kind::kChoice:
      return setting.choices.back() == *setting.value.get<std::string>() ? setting.choices.front()
                                                                         : setting.choices.back();
    default:
      return setting.name == "stem" ? "7,3" : "word";
  }
}

TEST(SettingsOptions, EverySettingIsAnOption) {
  for (const auto& setting : training::list_settings(workflows::default_experiment())) {
    if (!is_setting_of_files(setting)) continue;
    std::string option = "--" + setting.name;
    std::ranges::replace(option, '_', '-');
    const std::string argument = argument_of(setting);
    const auto by_option = setting.name == "train" ? typed({argument})
                           : setting.kind == training::SettingInfo::Kind::kTruth
                               ? typed({option + "=" + argument})
                               : typed({option, argument});
    const bool in_quotes = setting.kind == training::SettingInfo::Kind::kText ||
                           setting.kind == training::SettingInfo::Kind::kChoice;
    std::string value = in_quotes ? "'" + argument + "'" : argument;
    if (setting.kind == training::SettingInfo::Kind::kTexts) value = "['" + argument + "']";
    auto by_file = workflows::default_experiment();
    const std::string table = setting.table.empty() ? "" : "[" + setting.table + "]\n";
    training::Overrides::parse(table + setting.name + " = " + value, "x.toml").apply(by_file);
    EXPECT_EQ(by_option, by_file) << option << " " << argument;
    EXPECT_NE(by_option, workflows::default_experiment()) << option << " " << argument;
  }
}

TEST(SettingsOptions, ListsHaveCommasAndFilesHaveNone) {
  using Texts = std::vector<std::string>;
  EXPECT_EQ(task({"--target", "a,b", "x.csv", "y.csv"}).target, (Texts{"a", "b"}));
  EXPECT_EQ(task({"--target", "a,b", "x.csv", "y.csv"}).train, (Texts{"x.csv", "y.csv"}));
  EXPECT_EQ(task({"x.csv", "--valid", "v,1.csv", "w.csv"}).valid, (Texts{"v,1.csv", "w.csv"}));
}

TEST(SettingsOptions, ATextStaysAsItIs) { EXPECT_EQ(task({"--id", "[id]", "x.csv"}).id, "[id]"); }

TEST(SettingsOptions, AFlagNeedsNoValue) {
  EXPECT_TRUE(typed({"--bidirectional"}).network.bidirectional);
  EXPECT_FALSE(typed({"--bidirectional=false"}).network.bidirectional);
  EXPECT_TRUE(typed({"--bidirectional", "--units", "3"}).network.bidirectional);
  // The next argument is not its value.
  EXPECT_EQ(task({"--balance", "x.csv"}).train, std::vector<std::string>{"x.csv"});
}

TEST(SettingsOptions, NamesAreAcceptedInAnyCase) {
  EXPECT_EQ(typed({"--cell", "LSTM"}), typed({"--cell", "lstm"}));
  EXPECT_EQ(typed({"--cell", "RWA_Forget"}), typed({"--cell", "rwa-forget"}));
  EXPECT_EQ(task({"--task", "Class_Per_Step"}).task, "class-per-step");
  EXPECT_EQ(task({"--missing", "MEAN"}).missing, "mean");
  EXPECT_EQ(task({"--id", "ID"}).id, "ID");
  auto by_file = workflows::default_experiment();
  training::Overrides::parse("[network]\nreadout = 'Mean'", "x.toml").apply(by_file);
  EXPECT_EQ(typed({"--readout", "mean"}), by_file);
}

TEST(SettingsOptions, WhatIsWrongIsNamed) {
  const auto refuse = [](const std::vector<std::string>& words, const char* message) {
    io::expect_error<ConfigError>([&] { (void)typed(words); }, {message});
  };
  refuse({"--units", "many"}, "--units is \"many\", expected a whole number from 1 to ");
  refuse({"--units", "0"}, "--units is 0, expected a whole number from 1 to ");
  refuse({"--learning-rate", "fast"},
         "--learning-rate is \"fast\", expected a number of more than 0");
  refuse({"--cell", "elman"}, "--cell: unknown cell 'elman', expected one of: rwa, rwa-forget");
  refuse({"--bidirectional=maybe"}, "--bidirectional is \"maybe\", expected true or false");
  refuse({"--steps", "3", "--epochs", "4"}, "--epochs and --steps are both given");
}

}  // namespace
}  // namespace rwa::cli

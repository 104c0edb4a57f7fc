// cli/settings_options.h: the program's options for the settings of a training on files, made
// from the list of settings (training/settings.h), and the options that say how the work is
// done.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "training/settings.h"
#include "workflows/train.h"

namespace rwa::cli {

// What was typed, by the name of the setting.
class GivenSettings {
 public:
  using Filter = std::function<bool(const training::SettingInfo&)>;
  // An option such as --learning-rate for each setting that passes; DATA for the training files.
  void add_options(CLI::App& command, const Filter& filter);

  [[nodiscard]] training::Overrides overrides() const;

 private:
  void add_option(CLI::App& command, const training::SettingInfo& setting);

  struct Given {
    training::SettingInfo setting;
    std::string text;                // of a single value
    std::vector<std::string> texts;  // of a list
  };
  static io::Value::Content content_of(const Given& given);

  std::map<std::string, Given> given_;  // whose places do not change
};

// Everything that can be set of a training on files.
bool is_setting_of_files(const training::SettingInfo& setting);
// How files are read, and which.
bool is_setting_of_reading(const training::SettingInfo& setting);

// What `rwa train` and `rwa tune` have in common.
struct TrainingArguments {
  GivenSettings given;
  std::filesystem::path config;
  workflows::TrainRequest request;
  workflows::TrainOptions options;
  std::optional<std::string> time_budget;

  TrainingArguments();
};
void add_training_arguments(CLI::App& command, TrainingArguments& arguments);
// Completes request and options, reads the data and plans, saying what was found.
workflows::Plan read_and_plan(TrainingArguments& arguments);

// Seconds of an option such as --time-limit; nothing where it was not given. Throws ConfigError.
std::optional<double> duration_of(const std::string& option,
                                  const std::optional<std::string>& text);
// Throws ConfigError where an option's value is not in 1…most.
void check_count(const std::string& option, int value, int most);
inline constexpr int kMostThreads = 1024;
inline constexpr int kMostJobs = 64;
// --threads and --jobs, with their defaults.
void add_workers(CLI::App& command, int& threads, int& jobs);

}  // namespace rwa::cli

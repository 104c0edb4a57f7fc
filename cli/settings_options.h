// cli/settings_options.h: options for the settings of a training on files, generated from the list
// in training/settings.h, and the options that control how the work is done.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/threads.h"
#include "parser.h"
#include "training/settings.h"
#include "workflows/train.h"

namespace rwa::cli {

// The settings given on the command line.
class GivenSettings {
 public:
  using Filter = std::function<bool(const training::SettingInfo&)>;
  // Adds an option such as --learning-rate for each setting that passes, and DATA for the files.
  void add_options(const Command& command, const Filter& filter);

  [[nodiscard]] bool is_empty() const;
  // The options that were given, without DATA.
  [[nodiscard]] std::vector<std::string> options() const;
  [[nodiscard]] training::Overrides overrides() const;

 private:
  void add_option(const Command& command, const training::SettingInfo& setting);

  struct Given {
    training::SettingInfo setting;
    std::string text;                // of a single value
    std::vector<std::string> texts;  // of a list
  };
  static io::Value::Content content_of(const Given& given);

  std::map<std::string, Given> given_;  // a map, since CLI11 keeps pointers to the values
};

// All settings of a training on files.
bool is_setting_of_files(const training::SettingInfo& setting);
// Only the files and how they are read.
bool is_setting_of_reading(const training::SettingInfo& setting);

// The arguments that `rwa train` and `rwa tune` share.
struct TrainingArguments {
  GivenSettings given;
  std::filesystem::path config;
  workflows::TrainRequest request;
  workflows::TrainOptions options;

  TrainingArguments();
};
void add_training_arguments(const Command& command, TrainingArguments& arguments);
// Completes the request and the options, reads the data, reports a summary of it, and plans. Of a
// search, `below` is the folder of its first run, as in workflows/run_place.h.
workflows::Plan read_and_plan(TrainingArguments& arguments,
                              const std::filesystem::path& below = {});

// --threads of any command.
inline constexpr io::Range<int> kThreads{.least = 1, .most = kMostThreads};
// Adds --threads and --jobs, which may be 0 if it is `automatic` then: the help says how.
void add_workers(const Command& command, int& threads, int& jobs,
                 const std::string& automatic = {});

}  // namespace rwa::cli

#include "settings_options.h"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "interrupt.h"
#include "outputs.h"
#include "ranks.h"
#include "report/text.h"
#include "rwa/errors.h"
#include "say.h"
#include "workflows/contradictions.h"
#include "workflows/defaults.h"
#include "workflows/findings.h"
#include "workflows/refit.h"
#include "workflows/run_place.h"

namespace rwa::cli {
namespace {

using Kind = training::SettingInfo::Kind;

constexpr const char* kFiles = "train";  // the setting that DATA stands for

std::string option_of(const training::SettingInfo& setting) {
  if (setting.name == kFiles) return "DATA";
  std::string name = setting.name;
  std::ranges::replace(name, '_', '-');
  return "--" + name;
}

// Files are separate arguments; other lists are one argument with commas.
bool takes_files(const training::SettingInfo& setting) {
  return setting.kind == Kind::kTexts && setting.group == training::Group::kData;
}

std::string help_of(const training::SettingInfo& setting) {
  if (!setting.range.empty()) return with_range(setting.help, setting.range);
  if (setting.choices.empty()) return setting.help;
  return fmt::format("{} ({})", setting.help, fmt::join(setting.choices, ", "));
}

const char* type_of(const training::SettingInfo& setting) {
  switch (setting.kind) {
    case Kind::kWhole:
      return "N";
    case Kind::kNumber:
      return "X";
    case Kind::kTexts:
      return takes_files(setting) ? "DATA..." : "NAME[,NAME...]";
    default:
      return "NAME";
  }
}

// How the data was read, which may not be how it was meant.
void say_findings(const datasets::Files& files) {
  const formats::Findings& findings = files.findings();
  const std::string columns = workflows::columns_in_words(findings);
  if (!columns.empty()) say("columns: {}\n", columns);
  say("task {}\n", workflows::task_in_words(files.encoding().schema, findings));
  say("{}", workflows::warnings_text(findings));
}

// "48 for training, 12 for validation; 100 more for testing", "5 folds", or "5 origins".
std::string parts_of(const workflows::Plan& plan) {
  const datasets::Files& files = *plan.files;
  const auto& task = training::files_task(plan.runs.front().experiment);
  const bool forecasts = files.encoding().forecast.is_needed();
  if (workflows::is_refitted(plan)) {
    return report::counted(task.folds, forecasts ? "origin" : "fold");
  }
  const std::int64_t training = files.size(datasets::Split::kTrain);
  const std::int64_t validation = files.size(datasets::Split::kValid);
  const std::int64_t test = files.size(datasets::Split::kTest);
  std::string text =
      fmt::format("{}{} for training, {} for validation", forecasts ? "forecasts: " : "",
                  count(training), count(validation));
  if (test == 0) return text;
  const bool has_own_files = training + validation == files.statistics().sequences;
  return text + fmt::format("{} for testing", has_own_files ? fmt::format("; {} more", count(test))
                                                            : ", " + count(test));
}

// The files and folders that a training reads.
std::vector<std::filesystem::path> inputs_of(const training::Overrides& settings) {
  std::vector<std::filesystem::path> inputs;
  for (const char* part : {"task.train", "task.valid", "task.test"}) {
    const io::Value* value = settings.get(part);
    const auto* paths = value == nullptr ? nullptr : value->get<io::Value::Array>();
    if (paths == nullptr) continue;
    for (const io::Value& path : *paths) {
      if (const auto* text = path.get<std::string>()) inputs.emplace_back(*text);
    }
  }
  return inputs;
}

}  // namespace

io::Value::Content GivenSettings::content_of(const Given& given) {
  const std::string& text = given.text;
  switch (given.setting.kind) {
    case Kind::kWhole:
      return typed_number<std::int64_t>(text);
    case Kind::kNumber:
      return typed_number<double>(text);
    case Kind::kTruth:
      return typed_truth(text);
    case Kind::kTexts: {
      io::Value::Array array;
      for (const std::string& each : given.texts) array.push_back({each});
      return array;
    }
    default:
      return text;
  }
}

void GivenSettings::add_options(const Command& command, const Filter& filter) {
  for (const auto& setting : training::list_settings(workflows::default_experiment())) {
    if (filter(setting)) add_option(command, setting);
  }
}

void GivenSettings::add_option(const Command& command, const training::SettingInfo& setting) {
  Given& given = given_.emplace(setting.name, Given{setting, {}, {}}).first->second;
  const std::string name = option_of(setting), group(to_string(setting.group));
  if (setting.kind == Kind::kTruth) {
    // A flag without a value means true.
    std::string help = help_of(setting);
    if (*setting.value.get<bool>()) help += fmt::format(" [on; off: {}=false]", name);
    command.add_flag(name, given.text, help).group(group);
    return;
  }
  std::string help = help_of(setting);
  const std::string usual = training::default_text(setting);
  if (!usual.empty()) help += fmt::format(" [{}]", usual);
  const Option option = takes_files(setting)           ? command.add_option(name, given.texts, help)
                        : setting.kind == Kind::kTexts ? command.add_list(name, given.texts, help)
                                                       : command.add_option(name, given.text, help);
  option.value_name(type_of(setting)).group(group);
}

bool GivenSettings::is_empty() const {
  return std::ranges::all_of(given_, [](const auto& named) {
    return named.second.text.empty() && named.second.texts.empty();
  });
}

std::vector<std::string> GivenSettings::options() const {
  std::vector<std::string> names;
  for (const auto& [name, given] : given_) {
    const bool is_given = !given.text.empty() || !given.texts.empty();
    if (is_given && name != kFiles) names.push_back(option_of(given.setting));
  }
  return names;
}

training::Overrides GivenSettings::overrides() const {
  io::Value::Table table;
  for (const auto& [name, given] : given_) {
    if (given.text.empty() && given.texts.empty()) continue;
    const std::string option = option_of(given.setting);
    table.push_back({name, {content_of(given), option}, option});
  }
  training::Overrides overrides;
  overrides.take(table, training::Scope::kFiles);
  return overrides;
}

bool is_setting_of_files(const training::SettingInfo& setting) {
  return training::is_offered(setting, training::Scope::kFiles);
}

bool is_setting_of_reading(const training::SettingInfo& setting) {
  return is_setting_of_files(setting) &&
         (setting.name == kFiles || setting.group == training::Group::kReading);
}

TrainingArguments::TrainingArguments() { options.threads = usual_threads(); }

void add_workers(const Command& command, int& threads, int& jobs, const std::string& automatic) {
  command.add_number("--threads", threads, kThreads, "Threads per MPI rank").show_default();
  command
      .add_number(
          "--jobs", jobs, {.least = automatic.empty() ? 1 : 0, .most = training::kMostJobs},
          "Runs to train at once on each MPI rank; they share its threads or GPU" + automatic)
      .show_default();
}

void add_training_arguments(const Command& command, TrainingArguments& arguments) {
  arguments.given.add_options(command, is_setting_of_files);
  command
      .add_option(
          "--config", arguments.config,
          "Read settings from a TOML file, e.g. a run's config.toml (options take precedence)")
      .must_be_file();
  add_workers(command, arguments.options.threads, arguments.options.jobs,
              " (0: one per thread if batches are small, else one)");
  command.add_option("--out", arguments.request.out,
                     "Folder to write to (default: runs/NAME, after the data or --name; "
                     "runs/NAME-2 if that has another run)");
}

workflows::Plan read_and_plan(TrainingArguments& arguments, const std::filesystem::path& below) {
  arguments.options.job = job();
  auto& settings = arguments.request.settings;
  settings = arguments.given.overrides();
  if (!arguments.config.empty()) settings = workflows::read_config(arguments.config, settings);
  const bool is_placed = !arguments.request.out.empty();
  refuse_input(is_placed ? "--out" : "the default of --out",
               is_placed ? arguments.request.out : workflows::kRunsFolder, inputs_of(settings));
  refuse_file("--out", arguments.request.out);
  workflows::Plan plan =
      is_placed
          ? workflows::plan(arguments.request, datasets::Reading{}, all_ranks())
          : workflows::plan_below(workflows::kRunsFolder, arguments.request, below, all_ranks());
  workflows::refuse_without_effect(settings, plan.runs.front().experiment, *plan.files,
                                   !below.empty());
  // Only from here on is there state to save: while data is read, Ctrl-C ends the program.
  arguments.options.stop = [&stop = watch_for_interrupts()] { return stop.load(); };
  const datasets::Files& files = *plan.files;
  const datasets::Statistics& seen = files.statistics();
  say("{} of {}: {}\n", workflows::sequences_in_words(files),
      report::counted(datasets::shortest(seen), datasets::longest(seen), "step"), parts_of(plan));
  say_findings(files);
  if (!is_placed) say("folder: {}\n", plan.out.string());
  for (const std::string& note : plan.notes) say("{}\n", note);
  return plan;
}

}  // namespace rwa::cli

#include "workflows/comparison.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>
#include <map>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "io/toml.h"
#include "report/text.h"
#include "rwa/errors.h"
#include "training/settings.h"
#include "workflows/measures.h"

namespace rwa::workflows {
namespace {

namespace fs = std::filesystem;
using training::NamedScore;
using training::Record;

constexpr const char* kNothing = "—";

// Settings that do not make a run another one: its name, and what follows from others.
constexpr std::array<std::string_view, 7> kIgnored = {
    "name",           "task.sha256",      "task.fold",          "seed",
    "training.steps", "evaluation.every", "task.interval_scale"};

bool is_refit(const Record& run) {
  const auto* task = std::get_if<datasets::FilesTask>(&run.experiment.task);
  return task != nullptr && task->folds > 0 && task->fold == task->folds;
}

std::string text_of(const io::Value& value) {
  if (const auto* text = value.get<std::string>()) return text->empty() ? kNothing : *text;
  const auto* list = value.get<io::Value::Array>();
  if (list == nullptr) return io::to_toml(value);
  std::vector<std::string> items;
  for (const io::Value& item : *list) items.push_back(text_of(item));
  return items.empty() ? kNothing : fmt::format("{}", fmt::join(items, ", "));
}

// The values of a setting, one per run; "—" for runs whose task lacks it.
struct Column {
  std::string path, name;
  std::vector<std::string> values;

  [[nodiscard]] bool differs() const {
    return std::ranges::any_of(values, [&](const auto& value) { return value != values.front(); });
  }
};

// All settings of any run. The name of a network is listed only if it is not that of its cell.
std::vector<Column> columns_of(const std::vector<Record>& records) {
  std::vector<Column> columns;
  for (std::size_t i = 0; i < records.size(); ++i) {
    for (const auto& setting : training::list_settings(records[i].experiment)) {
      if (setting.name == "model" && records[i].experiment.model.empty()) continue;
      auto column = std::ranges::find(columns, setting.path(), &Column::path);
      if (column == columns.end()) {
        columns.push_back({setting.path(), setting.name, {}});
        columns.back().values.assign(records.size(), kNothing);
        column = columns.end() - 1;
      }
      column->values[i] = text_of(setting.value);
    }
  }
  return columns;
}

bool is_ignored(const Column& column) {
  return std::ranges::find(kIgnored, column.path) != kIgnored.end();
}

// The folder that all runs are in.
fs::path common_folder(const std::vector<Record>& records) {
  fs::path common = fs::absolute(records.front().folder).lexically_normal();
  for (const Record& record : records) {
    const fs::path folder = fs::absolute(record.folder).lexically_normal();
    const auto [end, other] = std::ranges::mismatch(common, folder);
    fs::path shared;
    for (auto part = common.begin(); part != end; ++part) shared /= *part;
    common = std::move(shared);
  }
  return common;
}

std::string name_below(const fs::path& common, const Record& record) {
  const fs::path folder = fs::absolute(record.folder).lexically_normal();
  std::string name = folder.lexically_relative(common).string();
  if (name != ".") return name;
  return (folder.has_filename() ? folder : folder.parent_path()).filename().string();
}

// Runs of generated tasks have only their final metric.
std::vector<NamedScore> scores_of(const Record& record) {
  if (!record.scores.empty()) return record.scores;
  const training::Metric* final = training::final_of(record);
  if (final == nullptr) return {};
  std::vector<NamedScore> scores;
  if (final->accuracy) scores.push_back({"accuracy, %", 100 * *final->accuracy});
  scores.push_back({"loss, " + report::unit_name(final->unit), final->loss});
  return scores;
}

bool is_better_if_higher(std::string_view score) { return score.starts_with("accuracy"); }

// The first score of most runs: others may have only a loss, since they did not end.
std::string main_score(const std::vector<ComparedRun>& runs) {
  std::map<std::string, int> counts;
  for (const ComparedRun& run : runs) {
    if (!run.scores.empty()) ++counts[run.scores.front().name];
  }
  const auto most =
      std::ranges::max_element(counts, {}, [](const auto& entry) { return entry.second; });
  return most == counts.end() ? "" : most->first;
}

// Lower is better; runs without the score come last.
double rank_of(const ComparedRun& run, const std::string& score) {
  const auto found = std::ranges::find(run.scores, score, &NamedScore::name);
  if (found == run.scores.end()) return std::numeric_limits<double>::infinity();
  return is_better_if_higher(score) ? -found->value : found->value;
}

double mean_rank(const RunComparison& found, const RunGroup& group) {
  std::vector<double> ranks;
  for (const std::size_t run : group.runs) {
    ranks.push_back(rank_of(found.runs[run], found.scores.front()));
  }
  return mean_of(ranks);
}

// Runs of generated tasks have no files.
bool have_one_data_set(const std::vector<Record>& records) {
  const auto data_of = [](const Record& run) {
    const auto* task = std::get_if<datasets::FilesTask>(&run.experiment.task);
    return task == nullptr ? run.experiment.name : task->sha256;
  };
  return std::ranges::all_of(
      records, [&](const Record& run) { return data_of(run) == data_of(records.front()); });
}

bool is_repetition(const Record& a, const Record& b) {
  constexpr double kSimilar = 1.2;
  const auto [least, most] = std::minmax(a.experiment.training.steps, b.experiment.training.steps);
  return static_cast<double>(most) <= kSimilar * static_cast<double>(least);
}

using Values = std::vector<std::string>;

// The settings by which groups differ, of each run.
std::vector<Values> keys_of(const RunComparison& found, const std::vector<bool>& is_own) {
  std::vector<Values> keys;
  for (const ComparedRun& run : found.runs) {
    Values& key = keys.emplace_back(run.settings);
    for (std::size_t k = 0; k < key.size(); ++k) {
      if (!is_own[k]) key[k].clear();
    }
  }
  return keys;
}

// A group is named by what most groups do not have: "cell lstm, units 64".
std::string name_of(const RunComparison& found, const Values& key, const std::vector<Values>& all) {
  std::vector<std::string> words;
  for (std::size_t k = 0; k < key.size(); ++k) {
    const auto same =
        std::ranges::count_if(all, [&](const Values& one) { return one[k] == key[k]; });
    if (2 * same <= std::ssize(all)) words.push_back(found.settings[k] + " " + key[k]);
  }
  if (words.empty()) return all.size() > 1 ? "usual settings" : "all runs";
  return fmt::format("{}", fmt::join(words, ", "));
}

// Also names them.
std::vector<RunGroup> groups_of(const RunComparison& found, const std::vector<bool>& is_own) {
  const std::vector<Values> keys = keys_of(found, is_own);
  std::vector<RunGroup> groups;
  const auto key_of = [&](const RunGroup& group) -> const Values& {
    return keys[group.runs.front()];
  };
  for (std::size_t i = 0; i < found.runs.size(); ++i) {
    auto group = std::ranges::find_if(groups, [&](const RunGroup& one) {
      return key_of(one) == keys[i] &&
             is_repetition(found.runs[one.runs.front()].record, found.runs[i].record);
    });
    if (group == groups.end()) group = groups.insert(groups.end(), RunGroup{});
    group->runs.push_back(i);
  }
  if (!found.scores.empty()) {
    std::ranges::stable_sort(groups, {},
                             [&](const RunGroup& one) { return mean_rank(found, one); });
  }
  std::vector<Values> all;
  for (const RunGroup& group : groups) {
    if (std::ranges::find(all, key_of(group)) == all.end()) all.push_back(key_of(group));
  }
  for (RunGroup& group : groups) {
    group.name = name_of(found, key_of(group), all);
    const bool is_unique = std::ranges::count(groups, key_of(group), key_of) == 1;
    const auto& run = found.runs[group.runs.front()].record;
    if (!is_unique) group.name += fmt::format(", steps {}", run.experiment.training.steps);
  }
  return groups;
}

std::string text_of(const std::vector<NamedScore>& scores, const std::string& name) {
  const auto score = std::ranges::find(scores, name, &NamedScore::name);
  return score == scores.end() ? kNothing : report::in_digits(score->value, 4);
}

// "0.667 ± 0.397" over the runs that have the score.
std::string mean_of_runs(const RunComparison& found, const RunGroup& group,
                         const std::string& name) {
  std::vector<double> values;
  for (const std::size_t run : group.runs) {
    const auto& scores = found.runs[run].scores;
    const auto score = std::ranges::find(scores, name, &NamedScore::name);
    if (score != scores.end()) values.push_back(score->value);
  }
  if (values.empty()) return kNothing;
  const std::string mean = report::in_digits(mean_of(values), 4);
  return values.size() == 1 ? mean : mean + " ± " + report::in_digits(deviation_of(values), 2);
}

}  // namespace

RunComparison compare_runs(std::vector<Record> records) {
  std::erase_if(records, [](const Record& run) { return is_refit(run) && scores_of(run).empty(); });
  if (records.empty()) throw InputError("no runs to compare");
  RunComparison found{.folder = common_folder(records)};
  found.has_one_data_set = have_one_data_set(records);
  for (Record& record : records) {
    const std::string name = name_below(found.folder, record);
    auto scores = scores_of(record);
    found.runs.push_back({std::move(record), name, std::move(scores), {}});
  }
  const std::string main = main_score(found.runs);
  if (!main.empty()) found.scores.push_back(main);
  std::ranges::stable_sort(found.runs, {},
                           [&](const ComparedRun& run) { return rank_of(run, main); });
  records.clear();
  for (const ComparedRun& run : found.runs) {
    records.push_back(run.record);
    for (const NamedScore& score : run.scores) {
      if (std::ranges::find(found.scores, score.name) != found.scores.end()) continue;
      found.scores.push_back(score.name);
    }
  }
  std::vector<bool> is_own;  // of a group
  for (const Column& column : columns_of(records)) {
    const bool is_shown = !is_ignored(column) || column.name == "seed";  // folds have names
    if (!is_shown || !column.differs()) continue;
    found.settings.push_back(column.name);
    std::ranges::replace(found.settings.back(), '_', ' ');
    is_own.push_back(!is_ignored(column));
    for (std::size_t i = 0; i < found.runs.size(); ++i) {
      found.runs[i].settings.push_back(column.values[i]);
    }
  }
  found.groups = groups_of(found, is_own);
  return found;
}

std::vector<training::BaselineScores> mean_baselines(const RunComparison& found) {
  std::vector<training::BaselineScores> all;
  if (!found.has_one_data_set) return all;
  std::map<std::pair<std::string, std::string>, std::vector<double>> values;  // by baseline, score
  for (const ComparedRun& run : found.runs) {
    for (const training::BaselineScores& one : run.record.baselines) {
      const auto known = std::ranges::find(all, one.name, &training::BaselineScores::name);
      if (known == all.end()) all.push_back(one);
      for (const NamedScore& score : one.scores) {
        values[{one.name, score.name}].push_back(score.value);
      }
    }
  }
  for (training::BaselineScores& one : all) {
    for (NamedScore& score : one.scores) score.value = mean_of(values[{one.name, score.name}]);
  }
  return all;
}

report::Table table_of_runs(const RunComparison& found) {
  report::Table table{.header = {"run"}, .rows = {}, .sorts = true};
  for (const auto* names : {&found.scores, &found.settings}) {
    table.header.insert(table.header.end(), names->begin(), names->end());
  }
  for (const char* name : {"steps", "training time", "status"}) table.header.emplace_back(name);
  for (const ComparedRun& run : found.runs) {
    auto& row = table.rows.emplace_back();
    row.push_back({run.name});
    for (const std::string& name : found.scores) row.push_back({text_of(run.scores, name)});
    for (const std::string& value : run.settings) row.push_back({value});
    row.push_back({report::in_thousands(run.record.steps)});
    row.push_back({report::in_time(run.record.train_seconds)});
    row.push_back({std::string(to_string(run.record.status))});
  }
  for (const auto& [name, final, scores] : mean_baselines(found)) {
    auto& row = table.rows.emplace_back();
    row.push_back({"baseline: " + name});
    for (const std::string& score : found.scores) row.push_back({text_of(scores, score)});
    row.resize(table.header.size());
  }
  return table;
}

report::Table table_of_groups(const RunComparison& found) {
  report::Table table{.header = {"settings", "runs"}, .rows = {}, .sorts = true};
  const auto repeats = [](const RunGroup& group) { return group.runs.size() > 1; };
  if (std::ranges::none_of(found.groups, repeats)) return table;
  table.header.insert(table.header.end(), found.scores.begin(), found.scores.end());
  for (const RunGroup& group : found.groups) {
    auto& row = table.rows.emplace_back();
    row.push_back({group.name});
    row.push_back({std::to_string(group.runs.size())});
    for (const std::string& name : found.scores) row.push_back({mean_of_runs(found, group, name)});
  }
  return table;
}

}  // namespace rwa::workflows

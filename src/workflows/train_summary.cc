// src/workflows/train_summary.cc: the scores of several runs and of their baselines, as a table, a
// remark and an expectation.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "report/text.h"
#include "workflows/train.h"
#include "workflows/verdict.h"

namespace rwa::workflows {
namespace {

// One column of the summary.
struct Measure {
  enum class Kind { kAccuracy, kLoss, kError, kOther };
  Kind kind = Kind::kOther;
  std::string name;
  std::vector<double> values = {};                  // one per run
  std::vector<std::vector<double>> baselines = {};  // of each baseline, one per run
  double factor = 1;                                // 100 for percent
  int digits = 4;
};

using Get = std::function<std::optional<double>(const Scores&)>;

// Folds may differ in their last baseline, if it is left out of some.
std::size_t count_baselines(const std::vector<TrainedRun>& runs) {
  std::size_t count = runs.front().baselines.size();
  for (const TrainedRun& run : runs) count = std::min(count, run.baselines.size());
  return count;
}

// Leaves out measures that not all runs and baselines have.
void add(std::vector<Measure>& measures, Measure measure, const std::vector<TrainedRun>& runs,
         const Get& get) {
  measure.baselines.resize(count_baselines(runs));
  for (const TrainedRun& run : runs) {
    const auto value = get(*run.scores);
    if (!value) return;
    measure.values.push_back(*value);
    for (std::size_t i = 0; i < measure.baselines.size(); ++i) {
      const auto baseline = get(run.baselines[i].scores);
      if (!baseline) return;
      measure.baselines[i].push_back(*baseline);
    }
  }
  measures.push_back(std::move(measure));
}

std::vector<Measure> measures_of(const std::vector<TrainedRun>& runs) {
  std::vector<Measure> measures;
  const Scores& first = *runs.front().scores;
  add(measures, {Measure::Kind::kAccuracy, "accuracy, %", {}, {}, 100, 2}, runs,
      [](const Scores& s) { return s.accuracy; });
  add(measures, {Measure::Kind::kLoss, "loss, " + report::unit_name(first.unit), {}, {}}, runs,
      [](const Scores& s) { return s.loss; });
  add(measures, {Measure::Kind::kOther, "macro F1", {}, {}}, runs,
      [](const Scores& s) { return s.macro_f1; });
  add(measures, {Measure::Kind::kOther, "MCC", {}, {}}, runs,
      [](const Scores& s) { return s.matthews; });
  for (std::size_t i = 0; i < first.numbers.size(); ++i) {
    add(measures, {Measure::Kind::kError, "RMSE of " + first.numbers[i].name, {}, {}}, runs,
        [i](const Scores& s) { return std::optional(s.numbers.at(i).rmse); });
    add(measures, {Measure::Kind::kOther, "R² of " + first.numbers[i].name, {}, {}}, runs,
        [i](const Scores& s) { return s.numbers.at(i).r2; });
  }
  return measures;
}

std::string text_of(const Measure& measure, double value) {
  return fmt::format("{:.{}f}", value * measure.factor, measure.digits);
}

double mean_of(const std::vector<double>& values) {
  double mean = 0;
  for (const double value : values) mean += value / static_cast<double>(values.size());
  return mean;
}

// With the sample standard deviation: runs are few.
std::string mean_and_deviation(const Measure& measure) {
  const double mean = mean_of(measure.values);
  double squares = 0;
  for (const double value : measure.values) squares += (value - mean) * (value - mean);
  const double deviation = std::sqrt(squares / (static_cast<double>(measure.values.size()) - 1));
  return text_of(measure, mean) + " ± " + text_of(measure, deviation);
}

std::vector<TrainedRun> scored(const std::vector<TrainedRun>& all) {
  std::vector<TrainedRun> runs;
  std::ranges::copy_if(all, std::back_inserter(runs),
                       [](const TrainedRun& run) { return run.scores.has_value(); });
  return runs;
}

}  // namespace

report::Table summary(const std::vector<TrainedRun>& all) {
  report::Table table;
  const std::vector<TrainedRun> runs = scored(all);
  if (runs.empty()) return table;
  const std::vector<Measure> measures = measures_of(runs);
  table.header.emplace_back("run");
  for (const Measure& measure : measures) table.header.push_back(measure.name);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    auto& row = table.rows.emplace_back();
    row.push_back({runs[i].title});
    for (const Measure& measure : measures) row.push_back({text_of(measure, measure.values[i])});
  }
  if (runs.size() > 1) {
    auto& row = table.rows.emplace_back();
    row.push_back({"mean ± standard deviation"});
    for (const Measure& measure : measures) row.push_back({mean_and_deviation(measure)});
  }
  for (std::size_t i = 0; i < count_baselines(runs); ++i) {
    auto& row = table.rows.emplace_back();
    row.push_back({"baseline: " + runs.front().baselines[i].name});
    for (const Measure& measure : measures) {
      row.push_back({text_of(measure, mean_of(measure.baselines[i]))});
    }
  }
  return table;
}

std::string remark(const std::vector<TrainedRun>& all) {
  std::vector<Comparison> each;
  for (const TrainedRun& run : all) {
    if (run.scores) each.push_back(compare(*run.scores, run.baselines));
  }
  return each.empty() ? "" : remark(mean_of(each), all.front().store->record());
}

// The accuracy, or the error of a single number in its own unit, or else the loss.
std::string expected_score(const std::vector<TrainedRun>& all) {
  using Kind = Measure::Kind;
  std::vector<Measure> measures = measures_of(scored(all));
  const auto first = [&](Kind kind) { return std::ranges::find(measures, kind, &Measure::kind); };
  if (const auto accuracy = first(Kind::kAccuracy); accuracy != measures.end()) {
    return fmt::format("accuracy {} %", mean_and_deviation(*accuracy));
  }
  const bool has_one_error = std::ranges::count(measures, Kind::kError, &Measure::kind) == 1;
  if (!has_one_error) return fmt::format("loss {}", mean_and_deviation(*first(Kind::kLoss)));
  return fmt::format("{} {}", first(Kind::kError)->name, mean_and_deviation(*first(Kind::kError)));
}

}  // namespace rwa::workflows

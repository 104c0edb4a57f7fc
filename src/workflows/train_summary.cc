// src/workflows/train_summary.cc: the scores of several runs and of their baselines, as a table, a
// remark and an expectation.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>

#include "workflows/measures.h"
#include "workflows/train.h"
#include "workflows/verdict.h"

namespace rwa::workflows {
namespace {

std::vector<TrainedRun> scored(const std::vector<TrainedRun>& all) {
  std::vector<TrainedRun> runs;
  std::ranges::copy_if(all, std::back_inserter(runs),
                       [](const TrainedRun& run) { return run.scores.has_value(); });
  return runs;
}

// What all runs have.
std::vector<Measure> measures_of(const std::vector<TrainedRun>& runs) {
  std::vector<Measure> measures = measures_of(*runs.front().scores);
  std::erase_if(measures, [&](const Measure& measure) {
    return std::ranges::any_of(runs,
                               [&](const TrainedRun& run) { return !measure.get(*run.scores); });
  });
  return measures;
}

std::vector<double> values_of(const Measure& measure, const std::vector<TrainedRun>& runs) {
  std::vector<double> values;
  for (const TrainedRun& run : runs) values.push_back(*measure.get(*run.scores));
  return values;
}

// NaN if a baseline lacks it: forecasts without intervals.
double mean_of_baseline(const Measure& measure, const std::vector<TrainedRun>& runs,
                        std::size_t index) {
  std::vector<double> values;
  for (const TrainedRun& run : runs) {
    values.push_back(measure.get(run.baselines[index].scores).value_or(std::nan("")));
  }
  return mean_of(values);
}

// Folds may differ in their last baseline, if it is left out of some.
std::size_t count_baselines(const std::vector<TrainedRun>& runs) {
  std::size_t count = runs.front().baselines.size();
  for (const TrainedRun& run : runs) count = std::min(count, run.baselines.size());
  return count;
}

}  // namespace

report::Table summary(const std::vector<TrainedRun>& all) {
  report::Table table;
  const std::vector<TrainedRun> runs = scored(all);
  if (runs.empty()) return table;
  const std::vector<Measure> measures = measures_of(runs);
  table.header.emplace_back("run");
  for (const Measure& measure : measures) table.header.push_back(measure.name);
  for (const TrainedRun& run : runs) {
    auto& row = table.rows.emplace_back();
    row.push_back({run.title});
    for (const Measure& measure : measures) {
      row.push_back({text_of(measure, *measure.get(*run.scores))});
    }
  }
  if (runs.size() > 1) {
    auto& row = table.rows.emplace_back();
    row.push_back({"mean ± standard deviation"});
    for (const Measure& measure : measures) {
      row.push_back({mean_and_deviation(measure, values_of(measure, runs))});
    }
  }
  for (std::size_t i = 0; i < count_baselines(runs); ++i) {
    auto& row = table.rows.emplace_back();
    row.push_back({"baseline: " + runs.front().baselines[i].name});
    for (const Measure& measure : measures) {
      row.push_back({text_of(measure, mean_of_baseline(measure, runs, i))});
    }
  }
  return table;
}

Comparison compare(const std::vector<TrainedRun>& all) {
  std::vector<Comparison> each;
  for (const TrainedRun& run : scored(all)) each.push_back(compare(*run.scores, run.baselines));
  return each.empty() ? Comparison{} : mean_of(each);
}

std::string remark(const std::vector<TrainedRun>& all) {
  const Comparison found = compare(all);
  return found.baselines.empty() ? "" : remark(found, all.front().store->record());
}

std::string expected_score(const std::vector<TrainedRun>& all) {
  const std::vector<TrainedRun> runs = scored(all);
  const Measure first = measures_of(runs).front();
  return in_words(first, values_of(first, runs));
}

}  // namespace rwa::workflows

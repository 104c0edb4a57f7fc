#include "workflows/judge.h"

#include <cmath>
#include <functional>

#include <fmt/format.h>

#include "workflows/predict.h"

namespace rwa::workflows {
namespace {

// One column of the summary.
struct Measure {
  std::string name;
  std::vector<double> values;  // of each run
  double factor = 1;           // 100 for percent
  int digits = 4;
};

using Get = std::function<std::optional<double>(const Scores&)>;

void add(std::vector<Measure>& measures, Measure measure, const std::vector<Judged>& runs,
         const Get& get) {
  for (const Judged& run : runs) {
    const auto value = get(run.scores);
    if (!value) return;  // a measure that not all runs have says nothing about them
    measure.values.push_back(*value);
  }
  measures.push_back(std::move(measure));
}

std::vector<Measure> measures_of(const std::vector<Judged>& runs) {
  std::vector<Measure> measures;
  const Scores& first = runs.front().scores;
  add(measures, {"accuracy, %", {}, 100, 2}, runs, [](const Scores& s) { return s.accuracy; });
  add(measures, {"loss, " + first.unit, {}}, runs, [](const Scores& s) { return s.loss; });
  add(measures, {"macro F1", {}}, runs, [](const Scores& s) { return s.macro_f1; });
  add(measures, {"correlation", {}}, runs, [](const Scores& s) { return s.matthews; });
  for (std::size_t i = 0; i < first.numbers.size(); ++i) {
    add(measures, {"RMSE of " + first.numbers[i].name, {}}, runs,
        [i](const Scores& s) { return std::optional(s.numbers.at(i).rmse); });
    add(measures, {"R² of " + first.numbers[i].name, {}}, runs,
        [i](const Scores& s) { return s.numbers.at(i).r2; });
  }
  return measures;
}

std::string text_of(const Measure& measure, double value) {
  return fmt::format("{:.{}f}", value * measure.factor, measure.digits);
}

// Of a sample: the deviation of few runs from their own mean is too small otherwise.
std::string mean_and_deviation(const Measure& measure) {
  const auto count = static_cast<double>(measure.values.size());
  double mean = 0;
  for (const double value : measure.values) mean += value / count;
  double squares = 0;
  for (const double value : measure.values) squares += (value - mean) * (value - mean);
  return text_of(measure, mean) + " ± " + text_of(measure, std::sqrt(squares / (count - 1)));
}

}  // namespace

std::optional<Scores> judge(const Planned& planned, const SessionOptions& session) {
  const datasets::Files& files = *planned.files;
  const auto split =
      files.size(datasets::Split::kTest) > 0 ? datasets::Split::kTest : datasets::Split::kValid;
  if (files.size(split) == 0) return std::nullopt;
  const Trained trained = load_trained(planned.folder);
  return score(trained, samples_of(files, split), {.session = session});
}

report::Table summary(const std::vector<Judged>& runs) {
  report::Table table;
  const std::vector<Measure> measures = measures_of(runs);
  table.header.emplace_back("run");
  for (const Measure& measure : measures) table.header.push_back(measure.name);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    auto& row = table.rows.emplace_back();
    row.push_back({runs[i].title});
    for (const Measure& measure : measures) row.push_back({text_of(measure, measure.values[i])});
  }
  if (runs.size() < 2) return table;
  auto& row = table.rows.emplace_back();
  row.push_back({"mean ± deviation"});
  for (const Measure& measure : measures) row.push_back({mean_and_deviation(measure)});
  return table;
}

}  // namespace rwa::workflows

#include "workflows/measures.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <fmt/format.h>

#include "report/text.h"

namespace rwa::workflows {
namespace {

using Kind = Measure::Kind;
constexpr int kSignificant = Measure::kSignificant;

void add_forecasts(const Scores& scores, std::vector<Measure>& measures) {
  measures.push_back({Kind::kScaledError, "MASE", 1, 3, [](const Scores& s) { return s.mase; }});
  if (scores.forecasts.size() == 1) {
    measures.push_back({Kind::kOther, "MAE", 1, kSignificant,
                        [](const Scores& s) { return std::optional(s.forecasts.at(0).mae); }});
    measures.push_back({Kind::kOther, "RMSE", 1, kSignificant,
                        [](const Scores& s) { return std::optional(s.forecasts.at(0).rmse); }});
  }
  measures.push_back({Kind::kOther, "sMAPE, %", 100, 2, [](const Scores& s) { return s.smape; }});
  measures.push_back(
      {Kind::kOther, "coverage, %", 100, 1, [](const Scores& s) { return s.coverage; }});
}

void add_numbers(const Scores& scores, std::vector<Measure>& measures) {
  for (std::size_t i = 0; i < scores.numbers.size(); ++i) {
    const std::string& name = scores.numbers[i].name;
    measures.push_back({Kind::kError, "RMSE of " + name, 1, 4,
                        [i](const Scores& s) { return std::optional(s.numbers.at(i).rmse); }});
    measures.push_back(
        {Kind::kOther, "R² of " + name, 1, 4, [i](const Scores& s) { return s.numbers.at(i).r2; }});
  }
}

// Of several numbers no error stands for all: the loss does.
Kind main_kind(const Scores& scores) {
  if (scores.accuracy) return Kind::kAccuracy;
  if (scores.mase) return Kind::kScaledError;
  return scores.numbers.size() == 1 ? Kind::kError : Kind::kLoss;
}

}  // namespace

std::vector<Measure> measures_of(const Scores& scores) {
  std::vector<Measure> measures;
  measures.push_back(
      {Kind::kAccuracy, "accuracy, %", 100, 2, [](const Scores& s) { return s.accuracy; }});
  add_forecasts(scores, measures);
  measures.push_back({Kind::kLoss, "loss, " + report::unit_name(scores.unit), 1, 4,
                      [](const Scores& s) { return std::optional(s.loss); }});
  measures.push_back({Kind::kOther, "macro F1", 1, 4, [](const Scores& s) { return s.macro_f1; }});
  measures.push_back({Kind::kOther, "MCC", 1, 4, [](const Scores& s) { return s.matthews; }});
  add_numbers(scores, measures);
  std::erase_if(measures, [&](const Measure& measure) { return !measure.get(scores); });
  const auto first = std::ranges::find(measures, main_kind(scores), &Measure::kind);
  std::rotate(measures.begin(), first, first + 1);
  return measures;
}

double mean_of(const std::vector<double>& values) {
  double mean = 0;
  for (const double value : values) mean += value / static_cast<double>(values.size());
  return mean;
}

double deviation_of(const std::vector<double>& values) {
  if (values.size() < 2) return 0;
  const double mean = mean_of(values);
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / (static_cast<double>(values.size()) - 1));
}

std::string text_of(const Measure& measure, double value) {
  if (std::isnan(value)) return "—";
  if (measure.digits == kSignificant) return report::in_digits(value * measure.factor, 4);
  return fmt::format("{:.{}f}", value * measure.factor, measure.digits);
}

std::string mean_and_deviation(const Measure& measure, const std::vector<double>& values) {
  const std::string mean = text_of(measure, mean_of(values));
  return values.size() == 1 ? mean : mean + " ± " + text_of(measure, deviation_of(values));
}

std::string in_words(const Measure& measure, const std::vector<double>& values) {
  const std::string text = mean_and_deviation(measure, values);
  if (measure.kind == Kind::kAccuracy) return fmt::format("accuracy {} %", text);
  return fmt::format("{} {}", measure.kind == Kind::kLoss ? "loss" : measure.name, text);
}

}  // namespace rwa::workflows

// src/workflows/score_text.cc: scores as tables and JSON.
#include <cmath>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "report/text.h"
#include "workflows/score.h"
#include "workflows/score_sums.h"

namespace rwa::workflows {
namespace {

using nlohmann::ordered_json;
using report::Table;

std::string count(std::int64_t number) { return report::in_thousands(number); }
std::string percent(double share) { return report::in_percent(share); }
std::string decimals(double number) { return fmt::format("{:.3f}", number); }
std::string digits(double number) { return report::in_digits(number, 4); }

Table overview(const Scores& scores) {
  Table table{.header = {"score", "value"}, .rows = {}};
  const auto add = [&](const char* name, std::string value) {
    table.rows.push_back({{name}, {std::move(value)}});
  };
  const auto add_if = [&](const char* name, const std::optional<double>& value, auto format) {
    if (value) add(name, format(*value));
  };
  add(scores.forecasts.empty() ? "sequences" : "forecasts", count(scores.sequences));
  if (scores.answers != scores.sequences) add("predictions", count(scores.answers));
  add("loss", fmt::format("{} {}", digits(scores.loss), report::unit_name(scores.unit)));
  add_if("accuracy", scores.accuracy, percent);
  add_if("subset accuracy", scores.subset_accuracy, percent);
  add_if("macro F1", scores.macro_f1, decimals);
  add_if("micro F1", scores.micro_f1, decimals);
  add_if("Matthews correlation", scores.matthews, decimals);
  add_if("MASE", scores.mase, decimals);
  if (scores.forecasts.size() == 1) {
    add("MAE", digits(scores.forecasts.front().mae));
    add("RMSE", digits(scores.forecasts.front().rmse));
  }
  add_if("sMAPE", scores.smape, percent);
  add_if("coverage of the intervals", scores.coverage, percent);
  add_if("calibration error", scores.calibration_error, decimals);
  return table;
}

Table labels(const Scores& scores) {
  Table table{.header = {"class", "support", "predicted", "precision", "recall", "F1"}, .rows = {}};
  for (const LabelScore& label : scores.labels) {
    table.rows.push_back({{label.name},
                          {count(label.support)},
                          {count(label.predicted)},
                          {decimals(label.precision)},
                          {decimals(label.recall)},
                          {decimals(label.f1)}});
  }
  return table;
}

Table confusion(const Scores& scores) {
  Table table{.header = {"truth"}, .rows = {}};
  for (const LabelScore& label : scores.labels) table.header.push_back(label.name);
  for (std::size_t truth = 0; truth < scores.confusion.size(); ++truth) {
    auto& row = table.rows.emplace_back();
    row.push_back({scores.labels[truth].name});
    for (const std::int64_t said : scores.confusion[truth]) row.push_back({count(said)});
  }
  return table;
}

Table numbers(const Scores& scores) {
  Table table{.header = {"target", "RMSE", "MAE", "R²"}, .rows = {}};
  for (const NumberScore& number : scores.numbers) {
    table.rows.push_back({{number.name},
                          {digits(number.rmse)},
                          {digits(number.mae)},
                          {number.r2 ? decimals(*number.r2) : "—"}});
  }
  return table;
}

// The overview has the scores of a single feature.
Table forecasts(const Scores& scores) {
  Table table{.header = {"feature", "MASE", "MAE", "RMSE", "sMAPE", "coverage"}, .rows = {}};
  if (scores.forecasts.size() == 1) return table;
  for (const ForecastScore& score : scores.forecasts) {
    table.rows.push_back({{score.name},
                          {decimals(score.mase)},
                          {digits(score.mae)},
                          {digits(score.rmse)},
                          {percent(score.smape)},
                          {score.coverage ? percent(*score.coverage) : "—"}});
  }
  return table;
}

Table steps_ahead(const Scores& scores) {
  Table table{.header = {"steps ahead", "MASE", "coverage"}, .rows = {}};
  if (scores.steps_ahead.size() < 2) return table;
  for (const StepScore& score : scores.steps_ahead) {
    table.rows.push_back({{count(score.ahead)},
                          {decimals(score.mase)},
                          {score.coverage ? percent(*score.coverage) : "—"}});
  }
  return table;
}

Table calibration(const Scores& scores) {
  Table table{.header = {"confidence", "predictions", "mean confidence", "accuracy"}, .rows = {}};
  for (const ConfidenceBin& bin : joined(scores.calibration)) {
    table.rows.push_back({{fmt::format("{:.0f}–{:.0f} %", 100 * bin.from, 100 * bin.to)},
                          {count(bin.answers)},
                          {percent(bin.confidence)},
                          {percent(bin.accuracy)}});
  }
  return table;
}

Table lengths(const Scores& scores) {
  Table table{.header = {"steps", "sequences", "loss"}, .rows = {}};
  if (scores.accuracy) table.header.emplace_back("accuracy");
  for (const LengthBin& bin : scores.lengths) {
    auto& row = table.rows.emplace_back();
    row = {{bin.shortest == bin.longest ? count(bin.shortest)
                                        : count(bin.shortest) + "–" + count(bin.longest)},
           {count(bin.sequences)},
           {digits(bin.loss)}};
    if (scores.accuracy) row.push_back({bin.accuracy ? percent(*bin.accuracy) : "—"});
  }
  return table;
}

Table hardest(const Scores& scores) {
  const bool pieces = !scores.hardest.empty() && scores.hardest.front().from > 0;
  const bool steps = !scores.hardest.empty() && scores.hardest.front().step > 0;
  Table table{.header = {"id"}, .rows = {}};
  if (pieces) table.header.emplace_back("from");
  if (steps) table.header.emplace_back("step");
  for (const char* name : {"truth", "prediction", "loss"}) table.header.emplace_back(name);
  for (const HardExample& example : scores.hardest) {
    auto& row = table.rows.emplace_back();
    row.push_back({example.id});
    if (pieces) row.push_back({count(example.from)});
    if (steps) row.push_back({count(example.step)});
    row.push_back({example.truth});
    row.push_back({example.prediction});
    row.push_back({digits(example.loss)});
  }
  return table;
}

void add_if(ordered_json& object, const char* name, const std::optional<double>& value) {
  if (value) object[name] = *value;
}

ordered_json to_object(const LabelScore& label) {
  return {{"label", label.name},          {"support", label.support},
          {"predicted", label.predicted}, {"precision", label.precision},
          {"recall", label.recall},       {"f1", label.f1}};
}

ordered_json to_object(const NumberScore& number) {
  ordered_json object{{"name", number.name}, {"rmse", number.rmse}, {"mae", number.mae}};
  add_if(object, "r2", number.r2);
  return object;
}

ordered_json to_object(const ForecastScore& score) {
  ordered_json object{{"name", score.name},
                      {"mae", score.mae},
                      {"rmse", score.rmse},
                      {"smape", score.smape},
                      {"mase", score.mase}};
  add_if(object, "coverage", score.coverage);
  add_if(object, "width", score.width);
  return object;
}

ordered_json to_object(const StepScore& score) {
  ordered_json object{{"ahead", score.ahead}, {"mase", score.mase}};
  add_if(object, "coverage", score.coverage);
  return object;
}

ordered_json to_object(const ConfidenceBin& bin) {
  return {{"from", bin.from},
          {"to", bin.to},
          {"answers", bin.answers},
          {"confidence", bin.confidence},
          {"accuracy", bin.accuracy}};
}

ordered_json to_object(const LengthBin& bin) {
  ordered_json object{{"shortest", bin.shortest},
                      {"longest", bin.longest},
                      {"sequences", bin.sequences},
                      {"loss", bin.loss}};
  add_if(object, "accuracy", bin.accuracy);
  return object;
}

ordered_json to_object(const HardExample& example) {
  ordered_json object{{"id", example.id}};
  if (example.from > 0) object["from"] = example.from;
  if (example.step > 0) object["step"] = example.step;
  object["truth"] = example.truth;
  object["prediction"] = example.prediction;
  object["loss"] = example.loss;
  return object;
}

template <class T>
void add_list(ordered_json& object, const char* name, const std::vector<T>& list) {
  if (list.empty()) return;
  auto& array = object[name] = ordered_json::array();
  for (const T& one : list) array.push_back(to_object(one));
}

}  // namespace

std::vector<ScoreTable> tables(const Scores& scores, std::size_t most_confused) {
  std::vector<ScoreTable> all{{"Scores", overview(scores)}};
  const auto add = [&](const char* title, Table table) {
    if (!table.rows.empty()) all.push_back({title, std::move(table)});
  };
  add("Errors in the unit of the data", numbers(scores));
  add("Scores by feature", forecasts(scores));
  add("Scores by step ahead", steps_ahead(scores));
  add("Scores by class", labels(scores));
  if (scores.confusion.size() <= most_confused) {
    add("Confusion matrix (rows: truth, columns: prediction)", confusion(scores));
  }
  add("Calibration", calibration(scores));
  add("Scores by length", lengths(scores));
  add("Hardest examples", hardest(scores));
  return all;
}

std::string to_json(const Scores& scores) {
  ordered_json object{{"sequences", scores.sequences},
                      {"answers", scores.answers},
                      {"loss", scores.loss},
                      {"unit", scores.unit}};
  add_if(object, "accuracy", scores.accuracy);
  add_if(object, "subset_accuracy", scores.subset_accuracy);
  add_if(object, "macro_f1", scores.macro_f1);
  add_if(object, "micro_f1", scores.micro_f1);
  add_if(object, "matthews", scores.matthews);
  add_if(object, "calibration_error", scores.calibration_error);
  add_if(object, "mase", scores.mase);
  add_if(object, "smape", scores.smape);
  add_if(object, "coverage", scores.coverage);
  add_list(object, "per_class", scores.labels);
  if (!scores.confusion.empty()) object["confusion"] = scores.confusion;
  add_list(object, "per_number", scores.numbers);
  add_list(object, "per_feature", scores.forecasts);
  add_list(object, "by_step_ahead", scores.steps_ahead);
  add_list(object, "calibration", scores.calibration);
  add_list(object, "by_length", scores.lengths);
  add_list(object, "hardest", scores.hardest);
  return object.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace rwa::workflows

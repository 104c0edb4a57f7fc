#include "workflows/forecasts.h"

#include <cstddef>

#include <fmt/format.h>

#include "formats/time_step.h"

namespace rwa::workflows {
namespace {

using datasets::Range;

float as_float(double number) { return static_cast<float>(number); }

}  // namespace

std::vector<double> times_ahead(const datasets::Encoding& encoding,
                                const formats::Sequence& window) {
  const auto known = static_cast<std::size_t>(window.steps);
  const auto horizon = static_cast<std::size_t>(encoding.forecast.horizon);
  if (window.times.size() < known || !encoding.schema.time_form) return {};
  std::vector<double> times(window.times.begin() + window.steps, window.times.end());
  const auto step =
      formats::find_time_step(std::span(window.times).first(known), *encoding.schema.time_form);
  if (!step) return {};
  const double last = window.times[known - 1];
  while (times.size() < horizon) {
    times.push_back(formats::later(last, *step, static_cast<int>(times.size()) + 1));
  }
  return times;
}

std::string_view unit_of_steps(const datasets::Encoding& encoding,
                               const formats::Sequence& series) {
  const auto form = encoding.schema.time_form.value_or(formats::TimeForm::kNumber);
  return formats::unit_of(formats::find_time_step(series.times, form), form);
}

std::string name_of_step(const datasets::Encoding& encoding, const std::vector<double>& times,
                         int from, int ahead) {
  if (times.empty()) return fmt::format("{}", from + ahead);
  return formats::format_time(times[static_cast<std::size_t>(ahead)], *encoding.schema.time_form);
}

std::string ForecastFormatter::name_of_time() const {
  if (!encoding_.schema.time_form) return "step";
  return encoding_.schema.time.empty() ? "time" : encoding_.schema.time;
}

std::string ForecastFormatter::header() const {
  if (format_ == RowFormat::kJson) return "";
  std::string text = "id," + csv_field(name_of_time());
  for (std::size_t k = 0; k < encoding_.forecast.targets.size(); ++k) {
    for (const char* end : {"", "_low", "_high"}) text += ',' + csv_field(target(k) + end);
  }
  return text + '\n';
}

void ForecastFormatter::append(const formats::Sequence& window, int from,
                               std::span<const float> outputs, std::string& text) const {
  const auto ranges =
      datasets::ranges_of(encoding_.forecast, encoding_.schema.features.size(), window, outputs);
  const std::vector<double> times = times_ahead(encoding_, window);
  const std::size_t targets = encoding_.forecast.targets.size();
  for (int ahead = 0; ahead < encoding_.forecast.horizon; ++ahead) {
    const std::string time = name_of_step(encoding_, times, from, ahead);
    const auto row = std::span(ranges).subspan(static_cast<std::size_t>(ahead) * targets, targets);
    if (format_ == RowFormat::kCsv) {
      text += csv_field(window.id) + ',' + csv_field(time);
      append_row(row, text);
    } else {
      const bool is_number =
          times.empty() || encoding_.schema.time_form == formats::TimeForm::kNumber;
      text += fmt::format("{{\"id\":{},{}:{}", json_string(window.id), json_string(name_of_time()),
                          is_number ? time : json_string(time));
      append_object(row, text);
    }
  }
}

void ForecastFormatter::append_row(std::span<const Range> ranges, std::string& text) const {
  for (const Range& range : ranges) {
    for (const double number : {range.median, range.low, range.high}) {
      text += ',';
      append_number(as_float(number), text);
    }
  }
  text += '\n';
}

void ForecastFormatter::append_object(std::span<const Range> ranges, std::string& text) const {
  const auto append = [&](const char* name, double Range::*number) {
    text += fmt::format(",\"{}\":{{", name);
    for (std::size_t k = 0; k < ranges.size(); ++k) {
      text += (k > 0 ? "," : "") + json_string(target(k)) + ':';
      append_number(as_float(ranges[k].*number), text);
    }
    text += '}';
  };
  append("prediction", &Range::median);
  append("low", &Range::low);
  append("high", &Range::high);
  text += "}\n";
}

}  // namespace rwa::workflows

// src/workflows/forecasts.h: forecasts as rows of CSV or lines of JSON, with their times.
//   id,Date,Passengers,Passengers_low,Passengers_high
//   1,1961-01,449.2,431.6,467.5
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/encoding.h"
#include "workflows/predictions.h"

namespace rwa::workflows {

// The times of the steps that a window forecasts, as the series goes on. Empty without times.
std::vector<double> times_ahead(const datasets::Encoding& encoding,
                                const formats::Sequence& window);
// What a step of a series is: "months", "steps", …
std::string_view unit_of_steps(const datasets::Encoding& encoding, const formats::Sequence& series);
// A step ahead in words: its time, or its number in the series, from 1.
std::string name_of_step(const datasets::Encoding& encoding, const std::vector<double>& times,
                         int from, int ahead);

class ForecastFormatter {
 public:
  // The encoding must outlive it.
  ForecastFormatter(const datasets::Encoding& encoding, RowFormat format)
      : encoding_(encoding), format_(format) {}

  [[nodiscard]] std::string header() const;  // empty for JSON
  // Appends a row for each step of the forecast of a window, whose first one is `from`.
  void append(const formats::Sequence& window, int from, std::span<const float> outputs,
              std::string& text) const;

 private:
  [[nodiscard]] std::string name_of_time() const;
  void append_row(std::span<const datasets::Range> ranges, std::string& text) const;
  void append_object(std::span<const datasets::Range> ranges, std::string& text) const;
  [[nodiscard]] const std::string& target(std::size_t k) const {
    return encoding_.schema.features[encoding_.forecast.targets[k]];
  }

  const datasets::Encoding& encoding_;
  RowFormat format_;
};

}  // namespace rwa::workflows

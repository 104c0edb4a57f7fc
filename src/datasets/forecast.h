// src/datasets/forecast.h: forecasts of series of numbers, several steps ahead, with intervals.
//
// A sample is a window of a series: the steps before a forecast, at most `history` of them, and the
// `horizon` steps that follow it. x and values have the numbers of the file, so that windows can be
// drawn and forecast in other ways. What the network sees is relative to the last step and to the
// size of changes from season to season. Its outputs correct a weighted mean of simple forecasts.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "datasets/simple_forecasts.h"
#include "formats/sequence.h"
#include "formats/time_step.h"
#include "rwa/model.h"

namespace rwa::datasets {

struct Forecast {
  int horizon = 0;  // steps to forecast; 0: the task is another one
  int season = 1;   // steps; 1: none
  int history = 0;  // the most steps that the network sees
  // The distance of times, which tell the phase of the season; empty: rows are counted from the
  // first one of a series.
  std::optional<formats::TimeStep> step = {};
  double interval = ModelConfig{}.interval;  // as in ModelConfig
  std::vector<std::size_t> targets = {};     // the features to forecast
  // For each target the weights of the simple forecasts, [targets][kSimpleForecasts].
  std::vector<std::vector<double>> weights = {};
  double spread = 1;  // the mean error of that, in units of change_of()

  static constexpr int kMostSteps = 100'000;  // of horizon, season and history

  [[nodiscard]] bool is_needed() const { return horizon > 0; }
  // The numbers of a forecast, [horizon][targets], and the outputs for each.
  [[nodiscard]] std::size_t numbers() const {
    return static_cast<std::size_t>(horizon) * targets.size();
  }
  static constexpr std::size_t kOutputs = 3;  // lower end, median, upper end
  // Network inputs per step.
  [[nodiscard]] std::size_t inputs(std::size_t features) const;
  // The steps that a forecast needs for its season, and without one to begin with.
  [[nodiscard]] int needed_history() const;
  // The least steps before a forecast in training, in a series of this many known steps.
  [[nodiscard]] int least_history(int known) const;

  friend bool operator==(const Forecast&, const Forecast&) = default;
};

// Returns the window before step `origin` of a series, and the steps after it if they are there.
// `known` is the number of steps that change_of() may be taken from: at least `origin`; in
// training, all training steps of the series.
formats::Sequence window_of(const Forecast& forecast, std::size_t features,
                            const formats::Sequence& series, int origin, int known);

// The mean change of a feature from one season to the next, before the forecast of a window.
double change_of(const formats::Sequence& window, std::size_t feature);

// The rows that the network sees, [steps][inputs].
std::vector<float> inputs_of(const Forecast& forecast, std::size_t features,
                             const formats::Sequence& window);

// A simple forecast of one target, [horizon].
std::vector<double> simple_forecast(const Forecast& forecast, std::size_t features,
                                    const formats::Sequence& window, std::size_t target,
                                    Simple kind);
// What the outputs are relative to: the weighted means, [numbers()].
std::vector<double> base_of(const Forecast& forecast, std::size_t features,
                            const formats::Sequence& window);
// The unit of the outputs for one target.
double unit_of(const Forecast& forecast, const formats::Sequence& window, std::size_t target);

// The targets of the network, [numbers() * kOutputs].
std::vector<float> targets_of(const Forecast& forecast, std::size_t features,
                              const formats::Sequence& window);

// A number of a forecast, in its own unit.
struct Range {
  double low = 0, median = 0, high = 0;
};
// Reverses targets_of() for outputs of the network, [numbers()].
std::vector<Range> ranges_of(const Forecast& forecast, std::size_t features,
                             const formats::Sequence& window, std::span<const float> outputs);

// Whether a simple forecast is used: some need a season.
bool is_used(const Forecast& forecast, Simple kind);

}  // namespace rwa::datasets

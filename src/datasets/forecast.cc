#include "datasets/forecast.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace rwa::datasets {
namespace {

using formats::Sequence;

constexpr std::size_t kPlaces = 8;   // features that tell how far back a step is
constexpr double kOfChanges = 0.3;   // of numbers relative to the last step
constexpr std::size_t kPhases = 2;   // sine and cosine
constexpr int kMostKnown = 1000;     // steps that levels are computed from
constexpr double kLeastShare = 0.5;  // of the unit of all known steps

std::size_t index(int step) { return static_cast<std::size_t>(step); }

// The mean absolute change over `lag` steps before `end`; 0 if there are too few.
double mean_change(const Sequence& series, std::size_t features, std::size_t feature, int end,
                   int lag) {
  const auto place = [&](int step) { return index(step) * features + feature; };
  const auto is_known = [&](int step) {
    return series.filled.empty() || !series.filled[place(step)];
  };
  double sum = 0;
  int count = 0;
  for (int t = std::max(lag, end - kMostKnown); t < end; ++t) {
    if (!is_known(t) || !is_known(t - lag)) continue;
    sum += std::abs(double{series.x[place(t)]} - double{series.x[place(t - lag)]});
    ++count;
  }
  return count > 0 ? sum / count : 0;
}

double unit_before(const Sequence& series, std::size_t features, std::size_t feature, int end,
                   int season) {
  const double change = mean_change(series, features, feature, end, season);
  return change > 0 ? change : mean_change(series, features, feature, end, 1);
}

// A series that never changes has unit 1.
double unit_at(const Sequence& series, std::size_t features, std::size_t feature, int origin,
               int known, int season) {
  const double least =
      known > origin ? kLeastShare * unit_before(series, features, feature, known, season) : 0;
  const double unit = std::max(unit_before(series, features, feature, origin, season), least);
  return unit > 0 ? unit : 1;
}

std::vector<double> values_of(const Sequence& window, std::size_t features, std::size_t feature) {
  std::vector<double> values;
  for (std::size_t at = feature; at < window.x.size(); at += features) {
    values.push_back(window.x[at]);
  }
  return values;
}

// Bumps over the distance to the forecast, wider with distance.
void write_place(int steps_back, int history, float* row) {
  const double width = std::log(std::max(history, 2)) / kPlaces;
  for (std::size_t place = 0; place < kPlaces; ++place) {
    const double centre =
        std::log(std::max(history, 2)) * static_cast<double>(place) / (kPlaces - 1);
    const double distance = (std::log(steps_back) - centre) / width;
    row[place] = static_cast<float>(std::exp(-0.5 * distance * distance));
  }
}

// The step of the season.
int phase_of(const Forecast& forecast, const Sequence& series, int step) {
  if (!forecast.step || series.times.empty()) return step % forecast.season;
  const std::int64_t season = forecast.season;
  const std::int64_t number = formats::number_of(series.times[index(step)], *forecast.step);
  return static_cast<int>((number % season + season) % season);
}

}  // namespace

std::size_t Forecast::inputs(std::size_t features) const {
  return features + (season > 1 ? kPhases : 0) + kPlaces;
}

int Forecast::needed_history() const {
  constexpr int kLeast = 3;
  return season > 1 ? season + 1 : kLeast;
}

int Forecast::least_history(int known) const {
  return std::min(needed_history(), std::max(2, (known - horizon) / 2));
}

formats::Sequence window_of(const Forecast& forecast, std::size_t features, const Sequence& series,
                            int origin, int known) {
  const int begin = std::max(0, origin - forecast.history);
  const int end = origin + forecast.horizon;
  Sequence window;
  window.id = series.id;
  window.numbered = series.numbered;
  window.line = series.line;
  window.steps = origin - begin;
  const auto row = [&](int step) {
    return series.x.begin() + std::ptrdiff_t(index(step) * features);
  };
  window.x.assign(row(begin), row(origin));
  for (int t = origin; end <= series.steps && t < end; ++t) {
    for (const std::size_t target : forecast.targets) {
      const std::size_t place = index(t) * features + target;
      window.values.push_back(series.x[place]);
      if (!series.filled.empty()) window.filled.push_back(series.filled[place]);
    }
  }
  if (!series.times.empty()) {
    window.times.assign(series.times.begin() + begin,
                        series.times.begin() + std::min(end, series.steps));
  }
  window.frame.push_back(static_cast<float>(phase_of(forecast, series, begin)));
  for (std::size_t i = 0; i < features; ++i) {
    window.frame.push_back(
        static_cast<float>(unit_at(series, features, i, origin, known, forecast.season)));
  }
  return window;
}

double change_of(const Sequence& window, std::size_t feature) { return window.frame[1 + feature]; }

std::vector<float> inputs_of(const Forecast& forecast, std::size_t features,
                             const Sequence& window) {
  const std::size_t width = forecast.inputs(features);
  std::vector<float> rows(index(window.steps) * width);
  const float* const last = window.x.data() + window.x.size() - features;
  for (int t = 0; t < window.steps; ++t) {
    float* to = rows.data() + index(t) * width;
    for (std::size_t i = 0; i < features; ++i) {
      const double number = window.x[index(t) * features + i];
      *to++ = static_cast<float>(kOfChanges * (number - last[i]) / change_of(window, i));
    }
    if (forecast.season > 1) {
      const double phase = 2 * std::numbers::pi * (double{window.frame[0]} + t) / forecast.season;
      *to++ = static_cast<float>(std::sin(phase));
      *to++ = static_cast<float>(std::cos(phase));
    }
    write_place(window.steps - t, forecast.history, to);
  }
  return rows;
}

std::vector<double> simple_forecast(const Forecast& forecast, std::size_t features,
                                    const Sequence& window, std::size_t target, Simple kind) {
  std::vector<double> out(index(forecast.horizon));
  datasets::forecast(kind, values_of(window, features, forecast.targets[target]), forecast.season,
                     out);
  return out;
}

std::vector<double> base_of(const Forecast& forecast, std::size_t features,
                            const Sequence& window) {
  const std::size_t targets = forecast.targets.size();
  std::vector<double> base(forecast.numbers());
  std::vector<double> out(index(forecast.horizon));
  for (std::size_t k = 0; k < targets; ++k) {
    const std::vector<double> values = values_of(window, features, forecast.targets[k]);
    for (std::size_t kind = 0; kind < kSimpleForecasts; ++kind) {
      const double weight = forecast.weights[k][kind];
      if (weight == 0) continue;
      datasets::forecast(static_cast<Simple>(kind), values, forecast.season, out);
      for (std::size_t h = 0; h < out.size(); ++h) base[h * targets + k] += weight * out[h];
    }
  }
  return base;
}

double unit_of(const Forecast& forecast, const Sequence& window, std::size_t target) {
  return change_of(window, forecast.targets[target]) * forecast.spread;
}

std::vector<float> targets_of(const Forecast& forecast, std::size_t features,
                              const Sequence& window) {
  const std::vector<double> base = base_of(forecast, features, window);
  std::vector<float> targets;
  for (std::size_t i = 0; i < base.size(); ++i) {
    const double unit = unit_of(forecast, window, i % forecast.targets.size());
    const auto target = static_cast<float>((window.values[i] - base[i]) / unit);
    targets.insert(targets.end(), Forecast::kOutputs, target);
  }
  return targets;
}

std::vector<Range> ranges_of(const Forecast& forecast, std::size_t features, const Sequence& window,
                             std::span<const float> outputs) {
  const std::vector<double> base = base_of(forecast, features, window);
  std::vector<Range> ranges;
  for (std::size_t i = 0; i < base.size(); ++i) {
    const double unit = unit_of(forecast, window, i % forecast.targets.size());
    std::array<double, Forecast::kOutputs> numbers;
    for (std::size_t j = 0; j < numbers.size(); ++j) {
      numbers[j] = base[i] + unit * outputs[i * numbers.size() + j];
    }
    std::ranges::sort(numbers);  // quantiles are learned one by one, and may cross
    ranges.push_back({numbers[0], numbers[1], numbers[2]});
  }
  return ranges;
}

bool is_used(const Forecast& forecast, Simple kind) {
  return forecast.season > 1 || static_cast<std::size_t>(kind) < kUnseasonal;
}

}  // namespace rwa::datasets

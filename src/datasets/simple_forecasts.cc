#include "datasets/simple_forecasts.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace rwa::datasets {
namespace {

using Values = std::span<const double>;
using Out = std::span<double>;

double mean_of(Values values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double drift_of(Values values) {
  if (values.size() < 2) return 0;
  return (values.back() - values.front()) / static_cast<double>(values.size() - 1);
}

void line(double level, double slope, Out out) {
  for (std::size_t h = 0; h < out.size(); ++h) {
    out[h] = level + slope * static_cast<double>(h + 1);
  }
}

double smoothed(Values values, double share) {
  double level = values.front();
  for (const double value : values.subspan(1)) level += share * (value - level);
  return level;
}

// The mean over the last `count` seasons, which must be there, at each step.
void repeat_seasons(Values values, std::size_t season, std::size_t count, Out out) {
  for (std::size_t h = 0; h < out.size(); ++h) {
    double sum = 0;
    for (std::size_t back = 1; back <= count; ++back) {
      sum += values[values.size() - back * season + h % season];
    }
    out[h] = sum / static_cast<double>(count);
  }
}

void seasonal_drift(Values values, std::size_t season, Out out) {
  if (values.size() < 2 * season) {
    line(values.back(), drift_of(values), out);
    return;
  }
  repeat_seasons(values, season, 1, out);
  const double growth =
      mean_of(values.last(season)) - mean_of(values.last(2 * season).first(season));
  for (std::size_t h = 0; h < out.size(); ++h) {
    const std::size_t ahead = h / season + 1;  // seasons
    out[h] += growth * static_cast<double>(ahead);
  }
}

}  // namespace

std::string_view to_string(Simple forecast) {
  constexpr std::array<std::string_view, kSimpleForecasts> kNames = {"last value",
                                                                     "drift",
                                                                     "mean",
                                                                     "smoothing",
                                                                     "smoothing with drift",
                                                                     "seasonal naive",
                                                                     "seasonal naive with drift",
                                                                     "mean of two seasons"};
  return kNames[static_cast<std::size_t>(forecast)];
}

void forecast(Simple kind, Values values, int season, Out out) {
  constexpr double kShare = 0.3, kShareWithDrift = 0.5;
  const auto length = static_cast<std::size_t>(season);
  const std::size_t seasons = values.size() / length;
  switch (kind) {
    case Simple::kLast:
      return line(values.back(), 0, out);
    case Simple::kDrift:
      return line(values.back(), drift_of(values), out);
    case Simple::kMean:
      if (seasons == 0) return line(mean_of(values), 0, out);
      return repeat_seasons(values, length, seasons, out);
    case Simple::kSmoothed:
      return line(smoothed(values, kShare), 0, out);
    case Simple::kSmoothedDrift:
      return line(smoothed(values, kShareWithDrift), drift_of(values) / 2, out);
    case Simple::kSeasonal:
      if (seasons == 0) return line(values.back(), 0, out);
      return repeat_seasons(values, length, 1, out);
    case Simple::kSeasonalDrift:
      return seasonal_drift(values, length, out);
    case Simple::kTwoSeasons:
      if (seasons == 0) return line(values.back(), 0, out);
      return repeat_seasons(values, length, std::min<std::size_t>(seasons, 2), out);
  }
}

}  // namespace rwa::datasets

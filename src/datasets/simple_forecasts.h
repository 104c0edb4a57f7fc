// src/datasets/simple_forecasts.h: forecasts of one series that need no training. A network learns
// to correct a weighted mean of them; on few steps it is hard to beat.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace rwa::datasets {

enum class Simple {
  kLast,           // the last value
  kDrift,          // the line through the first and the last value
  kMean,           // the mean, of each step of the season
  kSmoothed,       // exponential smoothing
  kSmoothedDrift,  // the same with half of the drift, as in the theta method
  kSeasonal,       // the value a season ago
  kSeasonalDrift,  // the same, moved by the difference of the last two seasons
  kTwoSeasons,     // the mean of the last two seasons
};
inline constexpr std::size_t kSimpleForecasts = 8;
// The first of those that need a season.
inline constexpr std::size_t kUnseasonal = 5;

std::string_view to_string(Simple forecast);

// Forecasts `horizon` steps from the values known so far, at least one. Without enough of them,
// seasonal forecasts become others. Writes [horizon].
void forecast(Simple kind, std::span<const double> values, int season, std::span<double> out);

}  // namespace rwa::datasets

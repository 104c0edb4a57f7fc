#include "datasets/forecast_fit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace rwa::datasets {
namespace {

constexpr std::int64_t kMostWindows = 4000;
// A forecast that is much better than the others gets nearly all weight.
constexpr double kSharpness = 8;
// Other forecasts must be better than the last value and the seasonal naive one, which have nothing
// to fit: the less evidence there is, the more.
constexpr double kHandicap = 0.3;

struct Sample {
  formats::Sequence window;
  double weight = 1;  // the later in its series, the more a window tells about the next one
};
using Samples = std::vector<Sample>;

Samples samples_of(const Forecast& settings, std::size_t features,
                   std::span<const formats::Sequence> series, const Windows& windows) {
  const std::int64_t count = std::min(windows.size(), kMostWindows);
  Samples samples;
  for (std::int64_t i = 0; i < count; ++i) {
    const Windows::Place place = windows.at(i * windows.size() / count);
    samples.push_back(
        {window_of(settings, features, series[place.series], place.origin, place.known),
         static_cast<double>(place.origin) / place.known});
  }
  return samples;
}

// The sum of the absolute errors of a simple forecast, in units of each window.
double error_of(const Forecast& settings, std::size_t features, const Samples& samples,
                std::size_t target, Simple kind) {
  double sum = 0;
  for (const auto& [window, weight] : samples) {
    const auto made = simple_forecast(settings, features, window, target, kind);
    const double unit = change_of(window, settings.targets[target]);
    for (std::size_t h = 0; h < made.size(); ++h) {
      const std::size_t place = h * settings.targets.size() + target;
      if (!window.filled.empty() && window.filled[place]) continue;
      const double error = made[h] - window.values[place];
      sum += weight * std::abs(error) / unit;
    }
  }
  return sum;
}

// `pieces` is how many windows would not overlap.
std::vector<double> weights_of(const Forecast& settings, std::size_t features,
                               const Samples& samples, std::size_t target, double pieces) {
  const double handicap = 1 + kHandicap / std::sqrt(std::max(pieces, 1.0));
  std::array<double, kSimpleForecasts> errors{};
  double least = 0;
  for (std::size_t i = 0; i < kSimpleForecasts; ++i) {
    const auto kind = static_cast<Simple>(i);
    if (!is_used(settings, kind)) continue;
    const bool fits_nothing = kind == Simple::kLast || kind == Simple::kSeasonal;
    errors[i] = error_of(settings, features, samples, target, kind) * (fits_nothing ? 1 : handicap);
    if (i == 0 || errors[i] < least) least = errors[i];
  }
  std::vector<double> weights(kSimpleForecasts);
  double sum = 0;
  for (std::size_t i = 0; i < kSimpleForecasts; ++i) {
    if (!is_used(settings, static_cast<Simple>(i))) continue;
    weights[i] = errors[i] > least ? std::pow(least / errors[i], kSharpness) : 1;
    sum += weights[i];
  }
  for (double& weight : weights) weight /= sum;
  return weights;
}

float quantile(std::vector<float>& numbers, double share) {
  std::ranges::sort(numbers);
  const double place = share * static_cast<double>(numbers.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, numbers.size() - 1);
  return static_cast<float>(numbers[below] + (place - static_cast<double>(below)) *
                                                 (numbers[above] - numbers[below]));
}

// The quantiles of the errors of each number.
std::vector<float> start_of(const Forecast& forecast,
                            const std::vector<std::vector<float>>& targets, double wider) {
  std::vector<float> start;
  std::vector<float> errors(targets.size());
  for (std::size_t number = 0; number < forecast.numbers(); ++number) {
    for (std::size_t i = 0; i < targets.size(); ++i) {
      errors[i] = targets[i][number * Forecast::kOutputs];
    }
    const float median = quantile(errors, 0.5);
    const float low = quantile(errors, 0.5 - forecast.interval / 2);
    const float high = quantile(errors, 0.5 + forecast.interval / 2);
    const auto moved = [&](float end) {
      return static_cast<float>(median + wider * (end - median));
    };
    start.insert(start.end(), {moved(low), 0, moved(high)});
  }
  return start;
}

}  // namespace

FittedForecast fit_forecast(const Forecast& settings, std::size_t features,
                            std::span<const formats::Sequence> series, const Windows& windows) {
  FittedForecast fitted{.forecast = settings, .start = {}};
  Forecast& forecast = fitted.forecast;
  const Samples samples = samples_of(settings, features, series, windows);
  const double pieces = static_cast<double>(windows.size()) / settings.horizon;
  forecast.weights.clear();
  for (std::size_t k = 0; k < settings.targets.size(); ++k) {
    forecast.weights.push_back(weights_of(settings, features, samples, k, pieces));
  }
  forecast.spread = 1;
  fitted.start.assign(forecast.numbers() * Forecast::kOutputs, 0);
  if (samples.empty()) return fitted;
  std::vector<std::vector<float>> targets;
  double sum = 0;
  for (const Sample& sample : samples) {
    targets.push_back(targets_of(forecast, features, sample.window));
    for (const float target : targets.back()) sum += std::abs(target);
  }
  const double mean = sum / static_cast<double>(samples.size() * targets.front().size());
  forecast.spread = mean > 0 ? mean : 1;
  for (auto& row : targets) {
    for (float& target : row) target = static_cast<float>(target / forecast.spread);
  }
  fitted.start = start_of(forecast, targets, std::sqrt(1 + 6 / pieces));
  return fitted;
}

}  // namespace rwa::datasets

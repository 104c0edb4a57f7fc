#include "training/intervals.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "datasets/forecast.h"

namespace rwa::training {
namespace {
constexpr std::size_t kOutputs = datasets::Forecast::kOutputs;
constexpr double kLeast = 0.2, kMost = 20;
}  // namespace

void IntervalFit::add(std::span<const float> outputs, std::span<const float> targets) {
  constexpr double kNarrowest = 1e-6;  // ends may even lie on the wrong side of the median
  for (std::size_t i = 0; i < outputs.size(); i += kOutputs) {
    const double median = outputs[i + 1];
    const double away = targets[i] - median;
    const double end = away < 0 ? median - outputs[i] : outputs[i + 2] - median;
    distances_.push_back(std::abs(away) / std::max(end, kNarrowest));
  }
}

double IntervalFit::factor(double share, double samples) const {
  if (distances_.empty()) return 1;
  std::vector<double> sorted = distances_;
  std::ranges::sort(sorted);
  const double wanted = share * (1 + 1 / samples) * static_cast<double>(sorted.size());
  const auto place = static_cast<std::size_t>(std::max(std::ceil(wanted) - 1, 0.0));
  return std::clamp(sorted[std::min(place, sorted.size() - 1)], kLeast, kMost);
}

void scale_intervals(double factor, Model& model) {
  for (const Parameter& parameter : model.parameters()) {
    if (!parameter.name.starts_with("output.")) continue;
    std::vector<float> values(parameter.values.begin(), parameter.values.end());
    const std::size_t width = values.size() / static_cast<std::size_t>(parameter.shape.front());
    for (std::size_t at = 0; at < values.size(); at += kOutputs * width) {
      for (std::size_t i = at; i < at + width; ++i) {
        const double median = values[i + width];
        for (float* const end : {&values[i], &values[i + 2 * width]}) {
          *end = static_cast<float>(median + factor * (*end - median));
        }
      }
    }
    model.set_parameter(parameter.name, values);
  }
}

}  // namespace rwa::training

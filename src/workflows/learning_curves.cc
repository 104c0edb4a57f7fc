#include "workflows/learning_curves.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace rwa::workflows {

std::optional<double> loss_of(const training::Metric& metric) { return metric.loss; }

std::optional<double> accuracy_of(const training::Metric& metric) {
  if (!metric.accuracy) return std::nullopt;
  return 100 * *metric.accuracy;
}

report::Curve curve_of(const training::Record& run, std::string_view split, std::string label,
                       report::Role role, Height height) {
  report::Curve curve{.label = std::move(label), .role = role};
  for (const training::Metric& metric : run.metrics) {
    const auto y = height(metric);
    if (metric.split != split || !y) continue;
    curve.x.push_back(static_cast<double>(metric.step));
    curve.y.push_back(*y);
  }
  return curve;
}

bool spans_decades(const report::Chart& chart) {
  constexpr double kMost = 50;
  double least = std::numeric_limits<double>::infinity();
  double most = 0;
  for (const report::Curve& curve : chart.curves) {
    for (const double y : curve.y) {
      least = std::min(least, y);
      most = std::max(most, y);
    }
  }
  return least > 0 && most > kMost * least;
}

}  // namespace rwa::workflows

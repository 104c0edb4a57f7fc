#include "workflows/learning_curves.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace rwa::workflows {
namespace {

// Then the values need a logarithmic axis.
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

}  // namespace

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

std::vector<report::Chart> learning_panels(
    const std::string& unit, const std::function<std::vector<report::Curve>(Height)>& draw) {
  std::vector<report::Chart> panels = {{.id = "loss",
                                        .title = "Loss",
                                        .x_label = "training steps",
                                        .y_label = unit.empty() ? "loss" : "loss, " + unit,
                                        .curves = draw(loss_of)}};
  panels.front().log_y = spans_decades(panels.front());
  report::Chart accuracy{.id = "accuracy",
                         .title = "Accuracy",
                         .x_label = "training steps",
                         .y_label = "accuracy, %",
                         .curves = draw(accuracy_of)};
  const auto is_empty = [](const report::Curve& curve) { return curve.x.empty(); };
  if (!std::ranges::all_of(accuracy.curves, is_empty)) panels.push_back(std::move(accuracy));
  return panels;
}

}  // namespace rwa::workflows

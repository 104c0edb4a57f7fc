#include "report/chart.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "rwa/errors.h"

namespace rwa::report {
namespace {

constexpr std::string_view kBlue = "#0067b1";
constexpr std::string_view kBlueOnDark = "#58b4f0";
constexpr std::string_view kOrange = "#d55e00";
constexpr std::string_view kOrangeOnDark = "#f79646";

// In the order of Role.
constexpr std::array<CurveStyle, 11> kStyles{{
    {"rwa", kBlue, kBlueOnDark, 1, 1.6, false},
    {"lstm", kOrange, kOrangeOnDark, 1, 1.6, false},
    {"other-1", "#00805c", "#3ccfa0", 1, 1.6, false},
    {"other-2", "#b0538c", "#e79cc8", 1, 1.6, false},
    {"other-3", "#a87800", "#e8c04a", 1, 1.6, false},
    {"other-4", "#3a9bd9", "#9ad4fb", 1, 1.6, false},
    {"other-5", "#5b2c83", "#b596e0", 1, 1.6, false},
    {"other-6", "#22262b", "#dfe3e8", 1, 1.6, false},
    {"naive", "#6a6f76", "#a0a6ae", 1, 1.4, true},
    {"rwa-reference", kBlue, kBlueOnDark, 0.4, 1.4, false},
    {"lstm-reference", kOrange, kOrangeOnDark, 0.4, 1.4, false},
}};

}  // namespace

const CurveStyle& style_of(Role role) { return kStyles.at(static_cast<std::size_t>(role)); }

std::span<const CurveStyle> curve_styles() { return kStyles; }

double median(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

Curve median_curve(const std::vector<Curve>& runs, std::string label, Role role) {
  std::map<double, std::vector<double>> columns;
  for (const Curve& run : runs) {
    for (std::size_t i = 0; i < run.x.size(); ++i) columns[run.x[i]].push_back(run.y[i]);
  }
  const auto reached = [&](double x) {
    return static_cast<std::size_t>(std::ranges::count_if(
        runs, [&](const Curve& run) { return !run.x.empty() && run.x.back() >= x; }));
  };
  Curve made{.label = std::move(label), .role = role};
  for (const auto& [x, values] : columns) {
    if (values.size() < reached(x)) continue;
    made.x.push_back(x);
    made.y.push_back(median(values));
    if (runs.size() == 1) continue;
    made.low.push_back(std::ranges::min(values));
    made.high.push_back(std::ranges::max(values));
  }
  return made;
}

namespace {

void require_equal_sizes(const Chart& chart, const Curve& curve) {
  const std::size_t size = curve.x.size();
  const bool band = !curve.low.empty() || !curve.high.empty();
  if (curve.y.size() == size &&
      (!band || (curve.low.size() == size && curve.high.size() == size))) {
    return;
  }
  throw ConfigError(fmt::format(
      "chart {}, curve '{}': x, y, low and high have {}, {}, {} and {} values, "
      "expected equal sizes, or no low and high",
      chart.id, curve.label, size, curve.y.size(), curve.low.size(), curve.high.size()));
}

bool fits(double value, bool logarithmic) {
  return std::isfinite(value) && (!logarithmic || value > 0);
}

// Infinity if there is none.
double least_positive(const Chart& chart, std::vector<double> Curve::*column) {
  double least = std::numeric_limits<double>::infinity();
  for (const Curve& curve : chart.curves) {
    for (const double value : curve.*column) {
      if (fits(value, true)) least = std::min(least, value);
    }
  }
  return least;
}

Curve drawable(const Curve& curve, const Chart& chart, double least_x, double least_y) {
  Curve kept{.label = curve.label, .role = curve.role, .points = curve.points};
  for (std::size_t i = 0; i < curve.x.size(); ++i) {
    double x = curve.x[i];
    const double y = curve.y[i];
    if (chart.log_x && x <= 0 && curve.role == Role::kNaive) x = least_x;
    if (!fits(x, chart.log_x) || !fits(y, chart.log_y)) continue;
    kept.x.push_back(x);
    kept.y.push_back(y);
    if (curve.low.empty()) continue;
    const auto edge = [&](double value) {
      if (fits(value, chart.log_y)) return value;
      return std::isnan(value) || value > 0 ? y : std::min(y, least_y);
    };
    kept.low.push_back(edge(curve.low[i]));
    kept.high.push_back(edge(curve.high[i]));
  }
  return kept;
}

}  // namespace

Chart drawable(Chart chart) {
  for (const Curve& curve : chart.curves) require_equal_sizes(chart, curve);
  const double least_x = least_positive(chart, &Curve::x);
  const double least_y = least_positive(chart, &Curve::y);
  for (Curve& curve : chart.curves) curve = drawable(curve, chart, least_x, least_y);
  std::erase_if(chart.curves, [](const Curve& curve) { return curve.x.empty(); });
  std::ranges::stable_sort(chart.curves, {}, &Curve::role);
  return chart;
}

}  // namespace rwa::report

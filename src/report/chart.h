// src/report/chart.h: charts as data, the style of their curves, and the preparation for drawing.
// page.h and figure.h draw them.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rwa::report {

// The role of a curve decides its style, on the page and in figures alike. Ordered as in legends,
// from front to back.
enum class Role {
  kRwa,
  kLstm,
  kOther1,  // further models
  kOther2,
  kOther3,
  kOther4,
  kOther5,
  kOther6,
  kNaive,         // dashed
  kRwaReference,  // the authors' curve of the same model: faint, behind the others
  kLstmReference,
};

// The role of the n-th further model, from 0. The colours repeat after the last.
inline constexpr int kOtherRoles = 6;
constexpr Role other_role(std::size_t number) {
  return static_cast<Role>(static_cast<std::size_t>(Role::kOther1) + number % kOtherRoles);
}

// y against x, with a band from `low` to `high` unless these are empty.
struct Curve {
  std::string label;  // empty: not in the legend
  Role role;
  std::vector<double> x = {}, y = {}, low = {}, high = {};  // equal sizes, or no low and high
  bool points = false;                                      // no line joins them
};

// Curves of repeated runs as one: their median, with a band from minimum to maximum, at each x that
// all runs which get as far have; a median over some of them would jump. A single run stays as it
// is.
Curve median_curve(const std::vector<Curve>& runs, std::string label, Role role);
// `values` must not be empty.
double median(std::vector<double> values);

struct Chart {
  std::string id = {};  // letters, digits and hyphens: its file name and its anchor on the page
  std::string title = {};
  std::string caption = {};  // a sentence or two below the chart
  std::string x_label = {}, y_label = {};
  bool log_x = false, log_y = false;
  std::vector<Curve> curves = {};
  bool x_is_time = false;  // x has seconds since 1970, UTC
};

// Several charts side by side under one number, as in the paper: "Figure 4".
struct Figure {
  std::string id;  // "figure-4"
  std::string title;
  std::vector<Chart> panels = {};
  std::string caption = {};  // on a page: a sentence below the title
  bool is_small = false;     // on a page: one of many
};

// The style of a role on the page and in figures. The colours are safe for red-green colour
// blindness.
struct CurveStyle {
  std::string_view name;   // CSS class on the page
  std::string_view light;  // #rrggbb on a light background
  std::string_view dark;   // on a dark background
  double opacity;
  double width;  // of the line, in pixels
  bool dashed;
};

const CurveStyle& style_of(Role role);
std::span<const CurveStyle> curve_styles();

// Returns the chart with only what its axes can show, and its curves sorted by role, front to back.
// Drops points that are not finite and, on a logarithmic axis, those at or below zero. A band that
// would reach below the axis ends at the chart's smallest value. On a logarithmic x axis the
// baseline begins where the other curves do. Drops curves without points.
//
// Throws ConfigError if the columns of a curve differ in size.
Chart drawable(Chart chart);

}  // namespace rwa::report

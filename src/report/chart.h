// src/report/chart.h: a chart as data: what is drawn, the style of its curves, and what of it can
// be drawn. page.h and figure.h draw it.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rwa::report {

// What a curve is decides how it looks, the same on the page and in a figure. In the order of
// legends, which is from front to back.
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
  kRwaReference,  // somebody else's curve of the same: faint, behind
  kLstmReference,
};

// Of further models, counted from 0; after the last colour comes the first again.
inline constexpr int kOtherRoles = 6;
constexpr Role other_role(std::size_t number) {
  return static_cast<Role>(static_cast<std::size_t>(Role::kOther1) + number % kOtherRoles);
}

// y against x. A band from `low` to `high` is drawn where they are not empty.
struct Curve {
  std::string label;
  Role role;
  std::vector<double> x = {}, y = {}, low = {}, high = {};  // of equal size; or no low and high
};

struct Chart {
  std::string id = {};  // letters, digits and hyphens: names its files and its place on the page
  std::string title = {};
  std::string caption = {};  // a sentence or two under it
  std::string x_label = {}, y_label = {};
  bool log_x = false, log_y = false;
  std::vector<Curve> curves = {};
};

// Several charts side by side with one number, as in the paper: "Figure 4".
struct Figure {
  std::string id;  // "figure-4"
  std::string title;
  std::vector<Chart> panels = {};
};

// The style of a role, the same on the page and in figures. The colours are told apart by people
// who see red and green as one.
struct CurveStyle {
  std::string_view name;   // of its style on the page
  std::string_view light;  // #rrggbb on a light ground
  std::string_view dark;   // on a dark one
  double opacity;
  double width;  // of the line, in pixels
  bool dashed;
};

const CurveStyle& style_of(Role role);
std::span<const CurveStyle> curve_styles();

// A chart made ready for any program that draws: only points that its axes can show, curves from
// front to back, by role. Numbers that are not finite have no place on an axis, nor have zero and
// less on a logarithmic one: such points are left out, and a band that reaches down there ends at
// the chart's least value. On a logarithmic x axis the baseline begins where the other curves do.
// Curves without a point left are left out, too.
//
// Throws ConfigError for a curve whose columns are of different sizes.
Chart drawable(Chart chart);

}  // namespace rwa::report

// src/report/chart.h: a chart as data: what is drawn, not how. page.h and figure.h draw it.
#pragma once

#include <cstddef>
#include <string>
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

}  // namespace rwa::report

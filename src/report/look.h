// src/report/look.h: how the roles of curves look, on the page and in figures alike. The colours
// are told apart by people who see red and green as one.
#pragma once

#include <span>
#include <string_view>

#include "report/chart.h"

namespace rwa::report {

struct Look {
  std::string_view name;   // of its style on the page
  std::string_view light;  // #rrggbb on a light ground
  std::string_view dark;   // on a dark one
  double opacity;
  double width;  // of the line, in pixels
  bool dashed;
};

const Look& look_of(Role role);
std::span<const Look> all_looks();

}  // namespace rwa::report

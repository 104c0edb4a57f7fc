// src/report/heat.h: a table with names on two sides, whose cells are coloured by what they hold.
#pragma once

#include <string>
#include <vector>

namespace rwa::report {

struct HeatCell {
  std::string text;
  double share = 0;   // 0…1: how strong its colour is
  bool good = false;  // which colour that is
};

struct HeatTable {
  std::string rows_are, columns_are;  // what their names are the names of
  std::vector<std::string> rows, columns;
  std::vector<std::vector<HeatCell>> cells;  // [rows][columns]
};

std::string to_html(const HeatTable& table);

}  // namespace rwa::report

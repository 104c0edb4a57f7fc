// src/report/table.h: tables as data, and as text, Markdown and HTML.
#pragma once

#include <string>
#include <vector>

namespace rwa::report {

// Colours a cell and puts a sign before its text: ✓ reproduced, ✗ not, … cannot be said yet.
enum class Mark { kNone, kYes, kNo, kOpen };

struct TableCell {
  std::string text;
  Mark mark = Mark::kNone;
};

struct Table {
  std::vector<std::string> header;
  std::vector<std::vector<TableCell>> rows;  // each as long as the header
};

// Columns of nothing but numbers ("—" and no text count as such) stand at the right.
std::string to_text(const Table& table);  // aligned columns for a terminal
std::string to_markdown(const Table& table);
std::string to_html(const Table& table);

// A table with names on two sides, whose cells are coloured by what they hold.
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

// src/report/table.h: tables, and their forms as text, Markdown and HTML.
#pragma once

#include <string>
#include <vector>

namespace rwa::report {

// Colours a cell and puts a sign before its text: ✓ reproduced, ✗ not reproduced, … undecided.
enum class Mark { kNone, kYes, kNo, kOpen };

struct TableCell {
  std::string text;
  Mark mark = Mark::kNone;
  std::string link = {};  // on a page: an address relative to it
};

struct Table {
  std::vector<std::string> header;
  std::vector<std::vector<TableCell>> rows;  // each as long as the header
  bool sorts = false;                        // on a page: by a click on a column's name
};

// Columns that contain only numbers, "—" and empty cells are right-aligned.
std::string to_text(const Table& table);  // aligned columns for a terminal
std::string to_markdown(const Table& table);
std::string to_html(const Table& table);

// A matrix with row and column names and coloured cells, such as a confusion matrix.
struct HeatCell {
  std::string text;
  double share = 0;   // 0…1: strength of the colour
  bool good = false;  // selects the colour
};

struct HeatTable {
  std::string rows_are, columns_are;  // what the rows and columns stand for
  std::vector<std::string> rows, columns;
  std::vector<std::vector<HeatCell>> cells;              // [rows][columns]
  std::string good_is = {}, bad_is = {}, share_of = {};  // for the key of the colours
};

std::string to_html(const HeatTable& table);

}  // namespace rwa::report

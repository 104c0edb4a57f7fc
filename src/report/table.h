// src/report/table.h: a table as data, and as text, Markdown and HTML.
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

}  // namespace rwa::report

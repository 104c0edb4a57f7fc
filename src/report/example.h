// src/report/example.h: a sample of a task, step by step, drawn as SVG in the page.
#pragma once

#include <string>
#include <vector>

namespace rwa::report {

// One row of the drawing: an input or the target. A single symbol beside longer lanes is the target
// of the whole sequence.
struct Lane {
  std::string label;
  std::vector<double> values;        // drawn as bars, or
  std::vector<std::string> symbols;  // drawn as letters
  int columns = 0;                   // if not 0: draw `values` (0…1) as an image of this width
};

// The lanes are stacked and aligned by step; the last one is the target.
struct Example {
  std::string title;
  std::vector<Lane> lanes;
};

// Skips steps at which the symbols of all lanes repeat, and the middle of any other long sequence
// of symbols; each gap shows the number of steps skipped. Draws every bar, however thin.
std::string to_html(const Example& example);

}  // namespace rwa::report

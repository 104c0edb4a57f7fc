// src/report/example.h: a sample of a task, step by step. Drawn as SVG within the page.
#pragma once

#include <string>
#include <vector>

namespace rwa::report {

// One line of a picture: an input, or the answer. A single symbol beside longer lanes is the answer
// to the whole sequence.
struct Lane {
  std::string label;
  std::vector<double> values;        // drawn as bars, or
  std::vector<std::string> symbols;  // as letters, or
  int columns = 0;                   // where not 0: `values` (0…1) as a picture this wide
};

// The lanes stand under each other, step under step; the last is the answer.
struct Example {
  std::string title;
  std::vector<Lane> lanes;
};

// Where symbols repeat in all lanes the steps between are left out, and a long sequence of other
// symbols loses its middle; each gap says how many steps it stands for. Bars are never left out:
// a thousand of them are thin.
std::string to_html(const Example& example);

}  // namespace rwa::report

// src/report/steps.h: a sequence, and how much each of its steps counts. Drawn as SVG, within a
// page or as a file of its own.
#pragma once

#include <string>
#include <vector>

namespace rwa::report {

// One of the numbers that a step has, drawn as a curve.
struct Track {
  std::string name;
  std::vector<double> values;
  std::vector<double> weights =
      {};  // where there are some, they colour the ground behind the curve
};

// Lists are as long as there are steps, or empty. Of all weights, what is negative has a colour of
// its own; what is not finite is nothing.
struct Steps {
  std::string title = {};
  std::string caption = {};
  int first = 1;                               // the number of the first step
  std::vector<std::string> symbols = {};       // steps are letters or words, or
  std::vector<Track> tracks = {};              // numbers
  std::string weights_are = {};                // "share"
  std::vector<double> weights = {};            // of the steps
  std::string rows_are = {};                   // "units"
  std::vector<std::vector<double>> rows = {};  // [·][steps], a picture of its own; 0 or more each
};

// A long sequence of symbols is drawn in part: those lines of it that have the greatest weights,
// and for the others how many steps they are. Where there are more numbers than columns of pixels,
// a column is several steps, and its weight their sum.
std::string to_html(const Steps& steps);
std::string to_svg(const Steps& steps);

// For the style of a page that has such pictures.
std::string style_of_steps();

}  // namespace rwa::report

// src/report/steps.h: a sequence and the weight of each of its steps, drawn as SVG in a page or as
// a separate file.
#pragma once

#include <string>
#include <vector>

namespace rwa::report {

// One feature, drawn as a curve.
struct Track {
  std::string name;
  std::vector<double> values;
  std::vector<double> weights = {};  // colour the background of the curve; may be empty
};

// Each list has one item per step, or is empty. Negative weights have another colour; weights that
// are not finite count as 0.
struct Steps {
  std::string title = {};
  std::string caption = {};
  int first = 1;                               // the number of the first step
  std::vector<std::string> symbols = {};       // steps are letters or words, or
  std::vector<Track> tracks = {};              // have numeric features
  std::string weights_are = {};                // "share"
  std::vector<double> weights = {};            // one per step
  std::string rows_are = {};                   // "units"
  std::vector<std::vector<double>> rows = {};  // [·][steps], a heat map; all values at least 0
};

// Of a long sequence of symbols only the lines with the greatest weights are drawn; each gap shows
// the number of steps skipped. If there are more numeric steps than columns, a column covers
// several steps and has the sum of their weights. A key says what the colours stand for.
std::string to_html(const Steps& steps);
std::string to_svg(const Steps& steps);

// The CSS that a page with such drawings needs.
std::string style_of_steps();

}  // namespace rwa::report

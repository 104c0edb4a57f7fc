// src/report/gnuplot.h: a figure as a script for gnuplot.
#pragma once

#include <string>

#include "report/chart.h"

namespace rwa::report {

// Draws the figure as SVG to gnuplot's stdout. Whatever the texts hold is drawn, never run.
std::string gnuplot_script(const Figure& figure);

}  // namespace rwa::report

// src/report/figure.h: figures as SVG and PNG files, drawn by gnuplot and rsvg-convert.
#pragma once

#include <filesystem>
#include <string>

#include "report/chart.h"

namespace rwa::report {

// Returns a message that names the programs missing for write_figure() and the packages to install.
// Empty if nothing is missing.
std::string missing_for_figures();

// Writes FOLDER/ID.svg and FOLDER/ID.png, each atomically. Throws ResourceError with the programs'
// error output.
void write_figure(const Figure& figure, const std::filesystem::path& folder);

// Returns a gnuplot script that writes the figure as SVG to stdout. Text in the figure is never
// executed.
std::string gnuplot_script(const Figure& figure);

}  // namespace rwa::report

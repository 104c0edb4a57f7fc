// src/report/figure.h: a figure as SVG and PNG files, drawn by gnuplot and rsvg-convert.
#pragma once

#include <filesystem>
#include <string>

#include "report/chart.h"

namespace rwa::report {

// What is missing on this machine for write_figure(), as a sentence with the packages to install;
// empty where nothing is.
std::string missing_for_figures();

// Writes FOLDER/ID.svg and FOLDER/ID.png, each as a whole or not at all. Throws ResourceError with
// what the programs said.
void write_figure(const Figure& figure, const std::filesystem::path& folder);

// Draws the figure as SVG to gnuplot's stdout. Whatever the texts hold is drawn, never run.
std::string gnuplot_script(const Figure& figure);

}  // namespace rwa::report

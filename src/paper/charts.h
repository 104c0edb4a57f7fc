// src/paper/charts.h: runs as the panels of the paper's figures.
#pragma once

#include <string>
#include <vector>

#include "paper/catalogue.h"
#include "paper/evidence.h"
#include "report/chart.h"

namespace rwa::paper {

// An experiment in one variant, both models: medians over seeds, bands from the lowest to the
// highest, the baseline, and the authors' curves as far as ours reach.
report::Chart chart_of(const Entry& entry, const std::string& variant, const Library& ours,
                       const Library& authors);

// The paper's Figures 2 to 6, each once for a variant, with the panels that there are runs for.
std::vector<report::Figure> figures_of(const Library& ours, const Library& authors);

// "text", "script": those that there are runs of.
std::vector<std::string> variants_run(const Entry& entry, const Library& ours);

}  // namespace rwa::paper

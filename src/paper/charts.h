// src/paper/charts.h: the panels of the paper's figures: training curves, and drawings of samples
// as in panel (a).
#pragma once

#include <string>
#include <vector>

#include "paper/catalogue.h"
#include "paper/evidence.h"
#include "report/chart.h"
#include "report/example.h"
#include "training/experiment.h"

namespace rwa::paper {

// A model or a study's case, and how to draw it.
struct Line {
  std::string label;
  report::Role role = report::Role::kRwa;
  Key key;
};

// The roles of these models, in this order. The paper's two have their own colours.
std::vector<report::Role> roles_of(const std::vector<std::string>& models);

// Training curves of one experiment: medians over seeds, bands from minimum to maximum, and the
// baseline.
report::Chart training_chart(const training::Experiment& experiment, const std::vector<Line>& lines,
                             const Library& ours);

// One variant of an experiment: all models that were run, and the authors' curves up to the last
// step of the runs.
report::Chart chart_of(const Entry& entry, const std::string& variant, const Library& ours,
                       const Library& authors);

// The paper's Figures 2 to 6, one per variant, with a panel for each experiment that was run; then
// one figure for each experiment beyond the paper.
std::vector<report::Figure> figures_of(const Library& ours, const Library& authors);

// The variants that were run, of "text" and "script".
std::vector<std::string> variants_run(const Entry& entry, const Library& ours);
// The models that were run, the entry's own first.
std::vector<std::string> models_run(const Entry& entry, const std::string& variant,
                                    const Library& ours);

// Draws the first test sample, or for binary targets the first of each class. Empty for MNIST if
// its files are missing or damaged.
std::vector<report::Example> examples_of(const training::Experiment& experiment);

}  // namespace rwa::paper

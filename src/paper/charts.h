// src/paper/charts.h: the panels of the paper's figures: training curves, and samples of the tasks
// as pictures, as in panel (a).
#pragma once

#include <string>
#include <vector>

#include "paper/catalogue.h"
#include "paper/evidence.h"
#include "report/chart.h"
#include "report/example.h"
#include "training/experiment.h"

namespace rwa::paper {

// A model, or the case of a study, and how it is drawn.
struct Line {
  std::string label;
  report::Role role = report::Role::kRwa;
  Key key;
};

// Of the models with these names, in this order: the paper's two have colours of their own.
std::vector<report::Role> roles_of(const std::vector<std::string>& models);

// The training curves of one experiment: medians over seeds, bands from the lowest to the highest,
// and the baseline.
report::Chart training_chart(const training::Experiment& experiment, const std::vector<Line>& lines,
                             const Library& ours);

// An experiment in one variant, every model that was run, and the authors' curves as far as ours
// reach.
report::Chart chart_of(const Entry& entry, const std::string& variant, const Library& ours,
                       const Library& authors);

// The paper's Figures 2 to 6, each once for a variant, with the panels that there are runs for; and
// one for each experiment beyond them.
std::vector<report::Figure> figures_of(const Library& ours, const Library& authors);

// "text", "script": those that there are runs of.
std::vector<std::string> variants_run(const Entry& entry, const Library& ours);
// The models that there are runs of, the entry's own first.
std::vector<std::string> models_run(const Entry& entry, const std::string& variant,
                                    const Library& ours);

// The first test sample, or the first of each answer where that is yes or no. Nothing for MNIST
// where its files are not found, or are damaged: a picture less.
std::vector<report::Example> examples_of(const training::Experiment& experiment);

}  // namespace rwa::paper

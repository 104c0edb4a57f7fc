// src/workflows/tune_space.h: the settings that `rwa tune` searches, which docs/own-data.md
// describes.
#pragma once

#include <string>
#include <vector>

#include "datasets/files.h"
#include "training/experiment.h"
#include "training/settings.h"

namespace rwa::workflows {

// The names of the cells that are searched.
std::vector<std::string> tuned_cells();

// The settings of a candidate, without those that are given. `defaults` is the completed experiment
// of candidate 0, which has none. The next ones change one thing each; the others differ from the
// defaults in how steps are presented, by turns, and in some of what else goes with the data and the
// given settings. They are a function of seed and number.
training::Overrides candidate_settings(const training::Overrides& given,
                                       const training::Experiment& defaults,
                                       const datasets::Files& files, int number);

// Describes a completed experiment: "lstm, 64 units, context 15, learning rate 0.0031, batch 32".
std::string in_words(const training::Experiment& experiment);
// Describes what differs from the defaults: "no stem, context 5".
std::string differences_in_words(const training::Experiment& experiment,
                                 const training::Experiment& defaults);

}  // namespace rwa::workflows

// src/workflows/baseline.h: the baseline of a training: predictions that need no network, fitted to
// the training data and scored on the data that the model is scored on.
#pragma once

#include <string>

#include "datasets/files.h"
#include "workflows/score.h"

namespace rwa::workflows {

struct Baseline {
  std::string name;  // "majority class", "mean", or "last value" for forecasts of numbers
  Scores scores;
};

// Throws InputError if the samples have no targets.
Baseline score_baseline(const datasets::Files& files, datasets::Split split);

}  // namespace rwa::workflows

// src/workflows/pooled.h: the scores of several held-out parts of the same data together: the folds
// of a cross-validation.
#pragma once

#include <vector>

#include "datasets/files.h"
#include "training/run_store.h"
#include "workflows/score.h"

namespace rwa::workflows {

// Data that a run has not seen, and how it did there.
struct HeldOutPart {
  const datasets::Files* files;             // its test data, or else its validation data
  const training::RunStore* run = nullptr;  // has the model; null: nothing is drawn with it
  const Scores* scores;
};

// Which data a run is scored on.
datasets::Split held_out(const datasets::Files& files);

// Sums of counts, means of errors over parts of equal weight, and the hardest examples of all
// parts. Leaves out what has no meaning for several models: the loss is the mean, lengths are
// dropped. One part keeps everything.
Scores pooled(const std::vector<HeldOutPart>& parts);

// The hardest examples of all parts, the hardest first.
struct HardInPart {
  const HeldOutPart* part;
  const HardExample* example;
};
std::vector<HardInPart> hardest_of(const std::vector<HeldOutPart>& parts);

}  // namespace rwa::workflows

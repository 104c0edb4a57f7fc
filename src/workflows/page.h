// src/workflows/page.h: the report of a training: how it went, how well the model does, and where it errs.
#pragma once

#include "datasets/files.h"
#include "report/page.h"
#include "training/run_folder.h"
#include "workflows/score.h"

namespace rwa::workflows {

// The curves of training and validation, the scores (judge.h), the confusion matrix, precision, recall
// and F1 of each class, calibration, error by length, the hardest examples, the data and the settings.
// `scores` is null where there was nothing to score on.
report::Page training_page(const training::Record& run, const datasets::Files& files,
                           const Scores* scores);

}  // namespace rwa::workflows

// src/own/page.h: the report of a training: how it went, how well the model does, and where it errs.
#pragma once

#include "data/files.h"
#include "own/score.h"
#include "report/page.h"
#include "run/folder.h"

namespace rwa::own {

// The curves of training and validation, the scores (judge.h), the confusion matrix, precision, recall
// and F1 of each class, calibration, error by length, the hardest examples, the data and the settings.
// `scores` is null where there was nothing to score on.
report::Page training_page(const run::Record& run, const data::Files& files, const Scores* scores);

}  // namespace rwa::own

// src/workflows/page_parts.h: the parts of a training's report, in the order of the page.
#pragma once

#include "datasets/files.h"
#include "report/page.h"
#include "training/run_folder.h"
#include "workflows/score.h"

namespace rwa::workflows {

// The losses of training and validation, and accuracies, over the steps.
void add_curves(const training::Record& run, const datasets::Naive& guessing, report::Page& page);
// What there is to say about the answers: page_scores.cc.
void add_scores(const Scores& scores, const datasets::Naive& guessing, report::Page& page);
// What was read, and what was set: page_data.cc.
void add_data(const datasets::FilesTask& task, const datasets::Files& files, report::Page& page);
void add_settings(const training::Record& run, report::Page& page);

}  // namespace rwa::workflows

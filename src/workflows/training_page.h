// src/workflows/training_page.h: the report of a training: learning curves, scores and errors.
#pragma once

#include <vector>

#include "datasets/files.h"
#include "report/page.h"
#include "training/run_folder.h"
#include "workflows/baseline.h"
#include "workflows/score.h"

namespace rwa::workflows {

// The whole page. `scores` is null, and there are no baselines, if no data was held out.
report::Page training_page(const training::Record& run, const datasets::Files& files,
                           const Scores* scores, const std::vector<Baseline>& baselines);

// Its sections in order: the learning curves; the scores with confusion matrix, calibration, error
// by length and the hardest examples (training_page_scores.cc); the data and the settings
// (training_page_data.cc).
void add_curves(const training::Record& run, const std::vector<Baseline>& baselines,
                report::Page& page);
void add_scores(const Scores& scores, const std::vector<Baseline>& baselines, report::Page& page);
void add_data(const datasets::FilesTask& task, const datasets::Files& files, report::Page& page);
void add_settings(const training::Record& run, report::Page& page);

}  // namespace rwa::workflows

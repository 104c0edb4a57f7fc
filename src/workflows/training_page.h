// src/workflows/training_page.h: the report of a training: what the model is at a glance, its
// scores and errors, forecasts, the hardest examples, learning curves, data and settings.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "datasets/files.h"
#include "report/page.h"
#include "report/table.h"
#include "training/run_folder.h"
#include "training/run_store.h"
#include "workflows/baseline.h"
#include "workflows/pooled.h"
#include "workflows/verdict.h"

namespace rwa::workflows {

struct PageContent {
  const training::Record& run;
  const datasets::Files& files;
  const training::RunStore* store = nullptr;  // has the model; null: nothing is forecast with it
  std::filesystem::path folder = {};          // with the model, for the commands on the page
  // What the scores are of: the run's own held-out data, or the folds of a cross-validation. None
  // if no data was held out.
  std::vector<HeldOutPart> parts = {};
  std::vector<Baseline> baselines = {};  // scored on the only part
  // Of a model that was trained on all data after a cross-validation: the score to expect, beside
  // the baselines, and a row for each run.
  std::string expected = {};
  int fold_count = 0;
  Comparison of_folds = {};
  report::Table folds = {};
};

report::Page training_page(const PageContent& content);

// Its sections, each in a file of its own (training_page_*.cc).
void add_card(const PageContent& content, report::Page& page);
void add_forecasts(const PageContent& content, report::Page& page);
void add_scores(const PageContent& content, report::Page& page);
void add_examples(const std::vector<HeldOutPart>& parts, report::Page& page);
void add_curves(const PageContent& content, report::Page& page);
void add_data(const datasets::FilesTask& task, const datasets::Files& files, report::Page& page);
void add_settings(const training::Record& run, report::Page& page);

}  // namespace rwa::workflows

// src/own/page_parts.h: the parts of a training's report, in the order of the page.
#pragma once

#include "data/files.h"
#include "own/score.h"
#include "report/page.h"
#include "run/folder.h"

namespace rwa::own {

// The losses of training and validation, and accuracies, over the steps.
void add_curves(const run::Record& run, const data::Naive& guessing, report::Page& page);
// What there is to say about the answers: page_scores.cc.
void add_scores(const Scores& scores, const data::Naive& guessing, report::Page& page);
// What was read, and what was set: page_data.cc.
void add_data(const data::FilesTask& task, const data::Files& files, report::Page& page);
void add_settings(const run::Record& run, report::Page& page);

}  // namespace rwa::own

// src/paper/study_results.h: the runs of a study as a figure and a table.
#pragma once

#include <vector>

#include "paper/evidence.h"
#include "paper/study.h"
#include "report/chart.h"
#include "report/table.h"

namespace rwa::paper {

struct StudyResult {
  const Study* study = nullptr;
  report::Figure figure;                      // a panel for each experiment that was run
  report::Table table;                        // a row for each case that was run
  std::vector<const training::Record*> runs;  // experiment by experiment, case by case, by seed
};

// Of every study that there are runs of. Throws InputError and ResourceError for gradients beside a
// run that cannot be read.
std::vector<StudyResult> results_of_studies(const Runs& runs, const Library& ours);

}  // namespace rwa::paper

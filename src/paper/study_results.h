// src/paper/study_results.h: turns the runs of a study into a figure and a table.
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
  std::vector<const training::Record*> runs;  // by experiment, then case, then seed
};

// The results of every study with runs. Throws InputError and ResourceError if the gradients of a
// run cannot be read.
std::vector<StudyResult> results_of_studies(const Runs& runs, const Library& ours);

}  // namespace rwa::paper

// src/paper/report.h: run folders to the page, the figures and the tables.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "paper/evidence.h"
#include "paper/study_results.h"
#include "report/chart.h"
#include "report/page.h"
#include "report/table.h"
#include "training/run_folder.h"

namespace rwa::paper {

struct Report {
  report::Page page;
  std::vector<report::Figure> figures;  // as files: the paper's numbers, and those beyond it
  report::Table claims;                 // those of the paper that the runs are about
  report::Table claims_not_run;         // and the others
  std::vector<std::string> left_out;    // runs that are not the paper's, and why
  std::string overview;                 // what was run, on which machines
  report::Table summary;                // a row for each experiment and model that was run
  report::Table times;                  // and how long that took
  report::Table challenge;              // learned.h
  std::vector<StudyResult> studies;     // study_results.h
};

// `reference` holds the authors' curves (NAME.MODEL.csv); empty: none. Runs of experiments that are
// neither the catalogue's nor a study's are left out, and the page says so. Throws InputError and
// ResourceError for files that cannot be read.
Report make_report(const std::vector<training::Record>& runs,
                   const std::filesystem::path& reference);

// The overview, and all tables as Markdown. Throws ResourceError.
void write_summary(const Report& report, const std::filesystem::path& file);

// The tables of what was run alone: the summary, and that of each study.
std::vector<report::Table> summarise(const std::vector<training::Record>& runs,
                                     const Library& authors);

}  // namespace rwa::paper

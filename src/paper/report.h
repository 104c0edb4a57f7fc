// src/paper/report.h: turns run folders into the page, the figures and the tables.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "paper/claims.h"
#include "paper/evidence.h"
#include "paper/study_results.h"
#include "report/chart.h"
#include "report/page.h"
#include "report/table.h"
#include "training/run_folder.h"

namespace rwa::paper {

// What stands above two of the tables.
inline constexpr const char* kWhatTimesAre =
    "Training times without evaluations, as medians over seeds.";
inline constexpr const char* kWhatTheChallengeIs =
    "The step at which each model reaches the thresholds of the paper's experiments, and the ratio "
    "to the steps of RWA and LSTM.";

struct Report {
  report::Page page;
  std::vector<Finding> findings;        // of all claims
  std::vector<report::Figure> figures;  // to be written as files
  report::Table claims;                 // claims that the runs test
  report::Table claims_not_run;         // the other claims
  report::Table scoreboard;             // the headline claim of each experiment
  Tally tally;
  std::vector<std::string> left_out;         // runs left out, with the reason
  std::string overview;                      // the runs and their hardware
  report::Table summary;                     // a row for each experiment and model
  report::Table times;                       // training times, with the same rows
  report::Table paper_summary, paper_times;  // the rows of the paper's experiments
  report::Table beyond;                      // the other rows of the summary
  report::Table challenge;                   // learned.h
  std::vector<StudyResult> studies;          // study_results.h
};

// `reference` is a folder with the authors' curves (NAME.MODEL.csv); empty: none. Runs that belong
// to neither the catalogue nor a study are left out and listed on the page. Throws InputError and
// ResourceError for files that cannot be read.
Report make_report(const std::vector<training::Record>& runs,
                   const std::filesystem::path& reference);

// Writes the overview and all tables as Markdown. Throws ResourceError.
void write_summary(const Report& report, const std::filesystem::path& file);

// Returns one table as Markdown, without columns that hold nothing: "scoreboard", "claims",
// "summary" and "times" of the paper's experiments, "beyond" (the summary of the others),
// "thresholds", or the name of a study. Throws ConfigError for any other name.
std::string table_named(const Report& report, const std::string& name);

// Returns only the tables of results: the summary, and one per study.
std::vector<report::Table> summarise(const std::vector<training::Record>& runs,
                                     const Library& authors);

}  // namespace rwa::paper

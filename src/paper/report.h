// src/paper/report.h: run folders to the page, the figures and the tables.
#pragma once

#include <filesystem>
#include <vector>

#include "paper/evidence.h"
#include "report/chart.h"
#include "report/page.h"
#include "report/table.h"
#include "run/folder.h"

namespace rwa::paper {

struct Report {
  report::Page page;
  std::vector<report::Figure> figures;  // as files: the paper's numbers
  report::Table claims;                 // those of the paper that the runs are about
  report::Table claims_not_run;         // and the others
  std::vector<std::string> left_out;    // runs that are not the paper's, and why
  report::Table summary;                // a row for each experiment that was run
};

// `reference` holds the authors' curves (NAME.MODEL.csv); empty: none. Runs of experiments that are
// not the paper's are left out, and the page says so. Throws InputError and ResourceError for files
// that cannot be read.
Report make_report(const std::vector<run::Record>& runs, const std::filesystem::path& reference);

// Its summary alone.
report::Table summarise(const std::vector<run::Record>& runs, const Library& authors);

}  // namespace rwa::paper

// src/workflows/findings.h: what was found out about data, as text: every column with its role and
// why, the task and why, and warnings.
#pragma once

#include <string>

#include "datasets/files.h"
#include "formats/reader.h"
#include "report/table.h"

namespace rwa::workflows {

// "class: the target is text"; without a known reason "class, target label".
std::string task_in_words(const formats::Schema& schema, const formats::Findings& findings);

// "1 series", "270 sequences".
std::string sequences_in_words(const datasets::Files& files);
// "season of 12 steps (autocorrelation 0.91)", "no season".
std::string season_in_words(const datasets::Files& files);

// A row for each column or run of columns with the same role and reason: "att1 … att251".
report::Table columns_table(const formats::Findings& findings);

// The same in a line: "machine: id (its name); load … heat: feature (numbers)". Empty if nothing
// is known about columns.
std::string columns_in_words(const formats::Findings& findings);

// Says that each sequence is scaled by itself, and why. Empty if that is not chosen for the data.
std::string scale_in_words(const formats::Schema& schema, const datasets::Statistics& statistics);

// A line "warning: …" for each warning.
std::string warnings_text(const formats::Findings& findings);

}  // namespace rwa::workflows

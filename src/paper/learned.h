// src/paper/learned.h: which models learn which tasks, and how soon.
#pragma once

#include "paper/evidence.h"
#include "report/table.h"

namespace rwa::paper {

// A row for each of the entry's own models that was run. Learned is what beats the baseline; a
// model that is not expected to learn has shown so when it has been trained to the end. Empty for
// an entry that expects nothing of any model.
report::Table expectations_of(const Entry& entry, const Library& ours);

// A row for each threshold of the paper's experiments, as its text has them, and each model that
// was run. Empty where that is only the paper's two, which the claims compare.
report::Table challenge_of(const Library& ours);

}  // namespace rwa::paper

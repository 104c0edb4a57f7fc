// src/paper/learned.h: which models learn which tasks, and how soon.
#pragma once

#include "paper/evidence.h"
#include "report/table.h"

namespace rwa::paper {

// One row for each of the entry's own models that was run. A task is learned when the baseline is
// beaten; a model expected to fail must be trained to the end. Empty if the entry expects no model
// to learn.
report::Table expectations_of(const Entry& entry, const Library& ours);

// One row for each threshold of the paper's experiments (text variant) and each model that was run.
// Skips experiments with only the paper's two models, which the claims compare.
report::Table challenge_of(const Library& ours);

}  // namespace rwa::paper

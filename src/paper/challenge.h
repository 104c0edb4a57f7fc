// src/paper/challenge.h: how soon every model learns the paper's tasks, against the paper's two.
#pragma once

#include "paper/evidence.h"
#include "report/table.h"

namespace rwa::paper {

// A row for each threshold of the paper's experiments, as its text has them, and each model that was
// run. Empty where that is only the paper's two, which the claims compare.
report::Table challenge_of(const Library& ours);

}  // namespace rwa::paper

// src/paper/expected.h: whether the models of an experiment beyond the paper learn what they should.
#pragma once

#include "paper/evidence.h"
#include "report/table.h"

namespace rwa::paper {

// A row for each of the entry's own models that was run. Learned is what beats the baseline; a model
// that is not expected to learn has shown so when it has been trained to the end. Empty for an entry
// that expects nothing of any model.
report::Table expectations_of(const Entry& entry, const Library& ours);

}  // namespace rwa::paper

// src/paper/reproduce.h: the commands that make runs again, at full length.
#pragma once

#include <string>

#include "paper/section.h"
#include "paper/study_results.h"

namespace rwa::paper {

// One per line: seeds that do not follow one another take several.
std::string commands_of(const Section& section);
std::string commands_of(const StudyResult& result);

}  // namespace rwa::paper

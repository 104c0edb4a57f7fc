// src/workflows/score_text.h: scores for people, as tables, and for programs, as JSON.
#pragma once

#include <string>
#include <vector>

#include "report/table.h"
#include "workflows/score.h"

namespace rwa::workflows {

// A table, and what stands above it.
struct ScoreTable {
  std::string title;
  report::Table table;
};

// Those that there is something to say in; of more than `most_confused` classes no confusion
// matrix, which would be wider than a screen.
std::vector<ScoreTable> tables(const Scores& scores, std::size_t most_confused = 20);

std::string to_text(const Scores& scores);
// One object; what does not belong to the task is missing.
std::string to_json(const Scores& scores);

}  // namespace rwa::workflows

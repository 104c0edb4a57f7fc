// src/workflows/judge.h: what came out of trainings: the scores of each, and of several the mean and the
// deviation.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "report/table.h"
#include "workflows/plan.h"
#include "workflows/score.h"

namespace rwa::workflows {

// The model of a finished run on the data it is scored on, as scored_on() says; nothing where there
// are none.
std::optional<Scores> judge(const Planned& planned, const SessionOptions& session);

struct Judged {
  std::string title;
  Scores scores;
};
// A row for each, and for several their mean ± deviation: loss, accuracy, F1, correlation, errors.
report::Table summary(const std::vector<Judged>& runs);

}  // namespace rwa::workflows

// src/formats/table_task.h: guesses the task from the target columns of a table.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "formats/table_roles.h"

namespace rwa::formats {

struct TaskGuess {
  Target target = Target::kNone;
  std::string why = {};
  std::vector<std::string> warnings = {};  // if a single row decides
};

// The roles must be complete but for the kind of target. Throws ConfigError if the options
// contradict the columns.
TaskGuess guess_task(const TableSample& sample, const Roles& roles, const Options& options,
                     std::string_view file);

}  // namespace rwa::formats

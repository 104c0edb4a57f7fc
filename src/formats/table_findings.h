// src/formats/table_findings.h: what is said about the columns of a table: their roles, why, and
// what is doubtful.
#pragma once

#include <string>
#include <vector>

#include "formats/table_roles.h"
#include "formats/table_task.h"

namespace rwa::formats {

// `why` has the reason of each column that has a role.
Findings describe_roles(const TableSample& sample, const Options& options, const Roles& roles,
                        const std::vector<std::string>& why, TaskGuess task);

}  // namespace rwa::formats

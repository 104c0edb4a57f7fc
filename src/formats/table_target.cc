// src/formats/table_target.cc: what kind of answers the columns of targets hold.
#include <algorithm>

#include <fmt/format.h>

#include "formats/guess.h"
#include "formats/table_roles.h"
#include "io/quote.h"
#include "rwa/errors.h"

namespace rwa::formats {
namespace {

bool is_per_step(Target target) {
  return target == Target::kClassPerStep || target == Target::kNumbersPerStep;
}

bool begins_series(const Sample& sample, const Roles& roles, std::size_t row) {
  if (roles.layout == Layout::kWide || row == 0) return true;
  return roles.id && sample.cell(row, *roles.id) != sample.cell(row - 1, *roles.id);
}

bool changes_inside_series(const Sample& sample, const Roles& roles) {
  for (std::size_t row = 0; row < sample.rows(); ++row) {
    if (begins_series(sample, roles, row)) continue;
    for (const std::size_t column : roles.targets) {
      if (sample.cell(row, column) != sample.cell(row - 1, column)) return true;
    }
  }
  return false;
}

template <typename Is>
bool all_cells(const Sample& sample, std::size_t column, Is is) {
  for (std::size_t row = 0; row < sample.rows(); ++row) {
    if (!is(sample.cell(row, column))) return false;
  }
  return true;
}

Target of_several(const Sample& sample, const Roles& roles, bool per_step, std::string_view file) {
  bool flags = true;
  for (const std::size_t column : roles.targets) {
    if (!sample.is_number(column)) {
      throw ConfigError(
          fmt::format("{}: the target {} is not a column of numbers, expected such "
                      "where there are several targets",
                      file, io::quote(sample.names()[column])));
    }
    flags =
        flags && all_cells(sample, column, [](auto cell) { return cell == "0" || cell == "1"; });
  }
  if (per_step) return Target::kNumbersPerStep;
  return flags ? Target::kLabels : Target::kNumbers;
}

Target of_one(const Sample& sample, const Roles& roles, bool per_step) {
  const std::size_t column = roles.targets[0];
  const auto has_no_bar = [](std::string_view cell) { return cell.find('|') == cell.npos; };
  if (!sample.is_number(column)) {
    if (per_step) return Target::kClassPerStep;
    return all_cells(sample, column, has_no_bar) ? Target::kClass : Target::kLabels;
  }
  TargetGuess guess;
  for (std::size_t row = 0; row < sample.rows(); ++row) {
    if (per_step || begins_series(sample, roles, row)) guess.see(sample.cell(row, column));
  }
  if (guess.target() == Target::kClass) return per_step ? Target::kClassPerStep : Target::kClass;
  return per_step ? Target::kNumbersPerStep : Target::kNumbers;
}

void check_task(Target task, const Roles& roles, std::string_view file) {
  const auto refuse = [&](std::string_view why) {
    throw ConfigError(fmt::format("{}: the task {} {}", file, to_string(task), why));
  };
  if (task == Target::kNone) {
    if (!roles.targets.empty()) refuse("has no target, found one");
    return;
  }
  if (roles.targets.empty()) {
    refuse(
        "needs a target, found no column called target, label, class or y: name the one to take");
  }
  const bool one = task == Target::kClass || task == Target::kClassPerStep;
  if (one && roles.targets.size() > 1) {
    refuse(fmt::format("has one target, found {}", roles.targets.size()));
  }
  if (is_per_step(task) && roles.layout == Layout::kWide) {
    refuse("needs a table with a row for each step, found one with a row for each sequence");
  }
}

}  // namespace

Target guess_target(const Sample& sample, const Roles& roles, const Options& options,
                    std::string_view file) {
  if (options.task) {
    check_task(*options.task, roles, file);
    return *options.task;
  }
  if (roles.targets.empty()) return Target::kNone;
  const bool per_step = changes_inside_series(sample, roles);
  return roles.targets.size() > 1 ? of_several(sample, roles, per_step, file)
                                  : of_one(sample, roles, per_step);
}

}  // namespace rwa::formats

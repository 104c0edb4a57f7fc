#include "formats/table_task.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "base/counted.h"
#include "formats/match.h"
#include "formats/parse.h"
#include "io/quote.h"
#include "rwa/errors.h"

namespace rwa::formats {
namespace {
constexpr std::size_t kMany = 10;  // rows, among which a single one that decides is suspicious

template <typename Is>
bool all_cells(const TableSample& sample, std::size_t column, Is is) {
  for (std::size_t row = 0; row < sample.rows(); ++row) {
    if (!is(sample.cell(row, column))) return false;
  }
  return true;
}

bool has_bar(std::string_view cell) { return cell.find('|') != cell.npos; }

bool has_fraction(std::string_view cell) {
  float value = 0;
  return parse_number(cell, value) == Number::kRead && value != std::floor(value);
}

class TaskGuesser {
 public:
  TaskGuesser(const TableSample& sample, const Roles& roles, std::string_view file)
      : sample_(sample), roles_(roles), file_(file) {
    find_changes();
  }

  TaskGuess guess() {
    const bool per_step = !changes_.empty();
    guess_.target = roles_.targets.size() > 1 ? of_several(per_step) : of_one(per_step);
    if (per_step) warn_about_change();
    return std::move(guess_);
  }

 private:
  [[nodiscard]] bool begins_series(std::size_t row) const {
    if (roles_.layout == Layout::kWide || row == 0) return true;
    return roles_.id && sample_.cell(row, *roles_.id) != sample_.cell(row - 1, *roles_.id);
  }
  void find_changes();
  Target of_several(bool per_step);
  Target of_one(bool per_step);
  Target of_words(bool per_step);
  Target of_numbers(bool per_step);
  void warn_about_change();
  void warn_about_fraction(bool per_step);
  // The only row whose target is so; empty if there are none or several.
  template <typename Is>
  [[nodiscard]] std::optional<std::size_t> only_row(Is is) const;
  [[nodiscard]] std::string target() const { return io::quote(sample_.names()[roles_.targets[0]]); }

  const TableSample& sample_;
  const Roles& roles_;
  std::string_view file_;
  struct Change {
    std::size_t row, column;
  };
  std::vector<Change> changes_;  // of a target from one row to the next, within a sequence
  bool are_flags_ = false;       // several targets of 0 and 1
  std::size_t series_ = 0;
  TaskGuess guess_;
};

void TaskGuesser::find_changes() {
  for (std::size_t row = 0; row < sample_.rows(); ++row) {
    if (begins_series(row)) {
      ++series_;
      continue;
    }
    const auto column = std::ranges::find_if(roles_.targets, [&](std::size_t target) {
      return sample_.cell(row, target) != sample_.cell(row - 1, target);
    });
    if (column != roles_.targets.end()) changes_.push_back({row, *column});
  }
}

Target TaskGuesser::of_several(bool per_step) {
  are_flags_ = true;
  for (const std::size_t column : roles_.targets) {
    if (!sample_.is_number(column)) {
      throw ConfigError(
          fmt::format("{}: found text in the target {}, expected numbers: text is allowed "
                      "only in a single target",
                      file_, io::quote(sample_.names()[column])));
    }
    are_flags_ = are_flags_ &&
                 all_cells(sample_, column, [](auto cell) { return cell == "0" || cell == "1"; });
  }
  guess_.why = fmt::format("{} of {}{}", counted(roles_.targets.size(), "target"),
                           are_flags_ ? "0 and 1" : "numbers",
                           per_step ? " that change within sequences" : "");
  if (per_step) return Target::kNumbersPerStep;
  return are_flags_ ? Target::kLabels : Target::kNumbers;
}

Target TaskGuesser::of_one(bool per_step) {
  return sample_.is_number(roles_.targets[0]) ? of_numbers(per_step) : of_words(per_step);
}

Target TaskGuesser::of_words(bool per_step) {
  const std::size_t column = roles_.targets[0];
  if (per_step) {
    guess_.why = fmt::format("the words of {} change within sequences", target());
    return Target::kClassPerStep;
  }
  if (all_cells(sample_, column, [](std::string_view cell) { return !has_bar(cell); })) {
    guess_.why = fmt::format("{} has {}", target(), counted(sample_.distinct(column), "word"));
    return Target::kClass;
  }
  guess_.why = fmt::format("| separates labels in {}", target());
  if (const auto row = only_row(has_bar)) {
    guess_.warnings.push_back(fmt::format(
        "the task is {} only because of line {}, where {} is {}; if that is a mistake, use --task "
        "{}",
        to_string(Target::kLabels), sample_.line(*row), target(),
        io::quote(sample_.cell(*row, column)), to_string(Target::kClass)));
  }
  return Target::kLabels;
}

Target TaskGuesser::of_numbers(bool per_step) {
  TargetGuess guess;
  for (std::size_t row = 0; row < sample_.rows(); ++row) {
    if (per_step || begins_series(row)) guess.see(sample_.cell(row, roles_.targets[0]));
  }
  const std::string_view where = per_step ? ", which change within sequences" : "";
  if (guess.target() == Target::kClass) {
    guess_.why = fmt::format("{} has few whole numbers{}", target(), where);
    return per_step ? Target::kClassPerStep : Target::kClass;
  }
  guess_.why = fmt::format("{} has many numbers{}", target(), where);
  warn_about_fraction(per_step);
  return per_step ? Target::kNumbersPerStep : Target::kNumbers;
}

template <typename Is>
std::optional<std::size_t> TaskGuesser::only_row(Is is) const {
  std::optional<std::size_t> found;
  for (std::size_t row = 0; row < sample_.rows(); ++row) {
    if (!is(sample_.cell(row, roles_.targets[0]))) continue;
    if (found) return {};
    found = row;
  }
  return sample_.rows() >= kMany ? found : std::nullopt;
}

// The change of one sequence among many may be a mistyped target.
void TaskGuesser::warn_about_change() {
  constexpr std::size_t kThereAndBack = 2, kFewSeries = 3;
  if (series_ < kFewSeries || changes_.size() > kThereAndBack) return;
  if (sample_.rows() < kMany) return;
  const auto [row, column] = changes_.front();
  const Target without = are_flags_                               ? Target::kLabels
                         : guess_.target == Target::kClassPerStep ? Target::kClass
                                                                  : Target::kNumbers;
  guess_.warnings.push_back(fmt::format(
      "the task is {} only because {} changes from {} to {} on line {}; if that is a mistake, "
      "correct it or use --task {}",
      to_string(guess_.target), io::quote(sample_.names()[column]),
      io::quote(sample_.cell(row - 1, column)), io::quote(sample_.cell(row, column)),
      sample_.line(row), to_string(without)));
}

// A number with a fraction among classes.
void TaskGuesser::warn_about_fraction(bool per_step) {
  const auto row = only_row(has_fraction);
  if (!row) return;
  TargetGuess others;
  for (std::size_t i = 0; i < sample_.rows(); ++i) {
    if (i != *row) others.see(sample_.cell(i, roles_.targets[0]));
  }
  if (others.target() != Target::kClass) return;
  guess_.warnings.push_back(fmt::format(
      "the task is {} only because of line {}, where {} is {}; if that is a mistake, correct it or "
      "use --task {}",
      to_string(per_step ? Target::kNumbersPerStep : Target::kNumbers), sample_.line(*row),
      target(), sample_.cell(*row, roles_.targets[0]),
      to_string(per_step ? Target::kClassPerStep : Target::kClass)));
}

void check_task(Target task, const Roles& roles, std::string_view file) {
  const auto refuse = [&](std::string_view why) {
    throw ConfigError(fmt::format("{}: --task {} {}", file, to_string(task), why));
  };
  if (task == Target::kNone) {
    if (!roles.targets.empty()) refuse("takes no --target");
    return;
  }
  if (roles.targets.empty()) {
    refuse("needs a target, found no target column: use --target NAME");
  }
  const bool one = task == Target::kClass || task == Target::kClassPerStep;
  if (one && roles.targets.size() > 1) {
    refuse(fmt::format("takes one target, found {}", roles.targets.size()));
  }
  if (is_per_step(task) && roles.layout == Layout::kWide) {
    refuse("needs a row per step (--layout long), found a row per sequence");
  }
}
}  // namespace

TaskGuess guess_task(const TableSample& sample, const Roles& roles, const Options& options,
                     std::string_view file) {
  if (options.task) {
    check_task(*options.task, roles, file);
    return {.target = *options.task, .why = "--task"};
  }
  if (roles.targets.empty()) {
    return {.why = "found no target column"};
  }
  return TaskGuesser(sample, roles, file).guess();
}

}  // namespace rwa::formats

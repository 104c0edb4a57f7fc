#include "formats/table_time.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_set>

#include <fmt/format.h>

#include "formats/parse.h"
#include "formats/time_step.h"
#include "formats/usual_names.h"
#include "io/quote.h"

namespace rwa::formats {
namespace {
// The times of this form, in order. Empty if many cells have another form; a few are mistakes.
std::vector<double> times_of(const TableSample& sample, std::size_t column, TimeForm form) {
  constexpr std::size_t kSoon = 20;  // mistakes and nothing else: another kind of column
  const std::size_t most_mistakes = sample.rows() / 5;
  std::vector<double> times;
  std::size_t mistakes = 0;
  for (std::size_t row = 0; row < sample.rows() && mistakes <= most_mistakes; ++row) {
    if (times.empty() && mistakes == kSoon) return {};
    if (const auto time = parse_time(sample.cell(row, column), form)) {
      times.push_back(*time);
    } else {
      ++mistakes;
    }
  }
  return mistakes <= most_mistakes ? times : std::vector<double>();
}

// How many steps are not like the others. Infinity if times go back.
double irregular_steps(const std::vector<double>& times) {
  if (!std::ranges::is_sorted(times)) return std::numeric_limits<double>::infinity();
  const auto step = find_time_step(times, TimeForm::kDate);
  if (!step) return 0;
  const auto [repeats, gaps] = find_irregularities(times, *step);
  return static_cast<double>(gaps.count);
}

bool has_form(const TableSample& sample, std::size_t column, TimeForm form) {
  return !times_of(sample, column, form).empty();
}

// Whole numbers, each one more than that above.
bool counts_up(const TableSample& sample, std::size_t column) {
  const std::vector<double> numbers = times_of(sample, column, TimeForm::kNumber);
  return numbers.size() > 1 && numbers.size() == sample.rows() &&
         std::ranges::adjacent_find(numbers, [](double before, double number) {
           return number != before + 1 || before != std::floor(before);
         }) == numbers.end();
}

// "seconds" or "milliseconds" since 1970; empty if they are neither.
std::string_view unit_of_epoch(const TableSample& sample, std::size_t column) {
  constexpr double kFirst = 5e8, kLast = 4e9, kMilli = 1e3;  // from 1985 to 2096
  const std::vector<double> times = times_of(sample, column, TimeForm::kNumber);
  const auto within = [&](double scale) {
    return std::ranges::all_of(
        times, [&](double time) { return time >= kFirst * scale && time <= kLast * scale; });
  };
  if (times.size() < 2 || 2 * sample.distinct(column) <= sample.rows()) return {};
  return within(1) ? "seconds" : within(kMilli) ? "milliseconds" : "";
}

bool are_years(const TableSample& sample, std::size_t column) {
  constexpr double kFirst = 1500, kLast = 2200;
  const std::vector<double> years = times_of(sample, column, TimeForm::kNumber);
  return counts_up(sample, column) && years.front() >= kFirst && years.back() <= kLast;
}

bool may_be_index(const TableSample& sample, std::size_t column) {
  return sample.has_header() &&
         (!sample.is_named(column) || is_usual(sample.names()[column], kIndexNames));
}

// The rows whose time is earlier than that of the row above.
std::vector<std::size_t> restarts_of(const TableSample& sample, std::size_t time, TimeForm form) {
  std::vector<std::size_t> rows;
  std::optional<double> before;
  for (std::size_t row = 0; row < sample.rows(); ++row) {
    const auto now = parse_time(sample.cell(row, time), form);
    if (before && now && *now < *before) rows.push_back(row);
    before = now;
  }
  return rows;
}

// Whether each value fills consecutive rows only.
bool is_in_runs(const TableSample& sample, std::size_t column) {
  const std::size_t changes = sample.rows() - 1 - sample.same_as_above(column);
  return sample.distinct(column) == changes + 1;
}
}  // namespace

std::optional<TimeForm> time_form(const TableSample& sample, std::size_t column) {
  if (sample.rows() == 0) return {};
  for (const TimeForm form : {TimeForm::kDate, TimeForm::kMonth, TimeForm::kQuarter}) {
    if (has_form(sample, column, form)) return form;
  }
  const std::vector<double> day_first = times_of(sample, column, TimeForm::kDayFirst);
  const std::vector<double> month_first = times_of(sample, column, TimeForm::kMonthFirst);
  if (!day_first.empty() || !month_first.empty()) {
    const bool tie = day_first.size() == month_first.size();
    const bool is_month_first = tie ? irregular_steps(month_first) < irregular_steps(day_first)
                                    : month_first.size() > day_first.size();
    return is_month_first ? TimeForm::kMonthFirst : TimeForm::kDayFirst;
  }
  if (sample.is_number(column)) return TimeForm::kNumber;
  return {};
}

bool is_ambiguous(const TableSample& sample, std::size_t column) {
  const std::size_t day_first = times_of(sample, column, TimeForm::kDayFirst).size();
  return day_first > 0 && day_first == times_of(sample, column, TimeForm::kMonthFirst).size();
}

std::optional<std::size_t> find_time_of_day(const TableSample& sample,
                                            const std::vector<bool>& taken) {
  for (std::size_t i = 0; i < sample.columns(); ++i) {
    // Numbers such as 12.30 are rather numbers.
    if (!taken[i] && !sample.is_number(i) && has_form(sample, i, TimeForm::kTimeOfDay)) return i;
  }
  return {};
}

std::optional<FoundColumn> find_time_by_content(const TableSample& sample,
                                                const std::vector<bool>& taken) {
  for (std::size_t i = 0; i < sample.columns(); ++i) {
    const auto form = taken[i] ? std::nullopt : time_form(sample, i);
    if (form && form != TimeForm::kNumber) return FoundColumn{i, std::string(to_string(*form))};
  }
  for (std::size_t i = 0; i < sample.columns(); ++i) {
    if (taken[i]) continue;
    const std::string_view unit = sample.has_header() ? unit_of_epoch(sample, i) : "";
    if (!unit.empty()) return FoundColumn{i, fmt::format("{} since 1970", unit)};
    const bool may_be_year = may_be_index(sample, i) || same_letters(sample.names()[i], "year");
    if (may_be_year && are_years(sample, i)) return FoundColumn{i, "years"};
  }
  return {};
}

bool is_index(const TableSample& sample, std::size_t column) {
  if (!may_be_index(sample, column) || sample.is_empty(column)) return false;
  if (sample.is_named(column)) return counts_up(sample, column);
  const bool has_names = sample.is_whole(column) || !sample.is_number(column);
  return column == 0 && has_names && sample.distinct(column) == sample.rows();
}

std::optional<FoundColumn> find_id_by_time(const TableSample& sample, std::size_t time,
                                           TimeForm form, const std::vector<bool>& taken) {
  const std::vector<std::size_t> restarts = restarts_of(sample, time, form);
  if (restarts.empty()) return {};
  for (std::size_t i = 0; i < sample.columns(); ++i) {
    const bool may_be = !taken[i] && (sample.is_whole(i) || !sample.is_number(i));
    if (!may_be || !is_in_runs(sample, i) || !sample.repeats(i)) continue;
    // A slow measurement changes elsewhere too.
    if (sample.distinct(i) - 1 > 2 * restarts.size()) continue;
    const bool changes_there = std::ranges::all_of(
        restarts, [&](std::size_t row) { return sample.cell(row, i) != sample.cell(row - 1, i); });
    if (changes_there) return FoundColumn{i, "time restarts where it changes"};
  }
  return {};
}

std::optional<std::size_t> find_mixed_id(const TableSample& sample, std::size_t time,
                                         const std::vector<bool>& taken) {
  const std::size_t same = sample.same_as_above(time);
  if (3 * same < sample.rows()) return {};
  for (std::size_t i = 0; i < sample.columns(); ++i) {
    const bool may_be = !taken[i] && (sample.is_whole(i) || !sample.is_number(i));
    if (!may_be || !sample.repeats(i)) continue;
    std::unordered_set<std::string> seen;
    for (std::size_t row = 0; row < sample.rows(); ++row) {
      seen.insert(fmt::format("{}\n{}", sample.cell(row, time), sample.cell(row, i)));
    }
    if (seen.size() == sample.rows()) return i;
  }
  return {};
}

std::vector<std::size_t> columns_in_runs(const TableSample& sample) {
  std::vector<std::size_t> columns;
  for (std::size_t i = 0; i < sample.columns(); ++i) {
    const bool may_be = sample.is_whole(i) || !sample.is_number(i);
    if (may_be && 3 * sample.same_as_above(i) >= 2 * (sample.rows() - 1)) columns.push_back(i);
  }
  return columns;
}

}  // namespace rwa::formats

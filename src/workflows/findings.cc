#include "workflows/findings.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/counted.h"
#include "io/quote.h"

namespace rwa::workflows {
namespace {

using Column = formats::Findings::Column;

// Consecutive columns with the same role and reason.
struct Run {
  const Column* first;
  const Column* last;
  std::size_t count;
};

constexpr std::size_t kMostRuns = 60;  // in a list

std::vector<Run> runs_of(const std::vector<Column>& columns) {
  std::vector<Run> runs;
  for (const Column& column : columns) {
    const bool goes_on = !runs.empty() && runs.back().last->role == column.role &&
                         runs.back().last->why == column.why;
    if (!goes_on) runs.push_back({&column, &column, 0});
    runs.back().last = &column;
    ++runs.back().count;
  }
  return runs;
}

std::string names_of(const Run& run) {
  std::string first = io::escape(run.first->name);
  if (run.count == 1) return first;
  return fmt::format("{}{}{}", first, run.count == 2 ? ", " : " … ", io::escape(run.last->name));
}

// "1,200" for 1234.5.
std::string in_two_digits(double value) {
  constexpr double kMost = 1e15;
  const std::string rounded = fmt::format("{:.1e}", value);
  return value < kMost ? in_thousands(std::llround(std::stod(rounded))) : rounded;
}

// Columns that are listed need no mention with the task.
std::string target_in_words(const formats::Schema& schema, const formats::Findings& findings) {
  if (!schema.label_from.empty()) return ", labels from " + io::escape(schema.label_from);
  if (!findings.columns.empty() || schema.targets.empty()) return "";
  return ", target " + io::listed(schema.targets);
}

}  // namespace

std::string task_in_words(const formats::Schema& schema, const formats::Findings& findings) {
  std::string why = findings.task;
  if (why.empty() && schema.target == formats::Target::kNone) {
    why = "found no target";
  }
  return fmt::format("{}{}{}{}", formats::to_string(schema.target),
                     target_in_words(schema, findings), why.empty() ? "" : ": ", why);
}

std::string sequences_in_words(const datasets::Files& files) {
  const std::int64_t count = files.statistics().sequences;
  if (!files.encoding().forecast.is_needed()) return counted(count, "sequence");
  return in_thousands(count) + " series";
}

std::string season_in_words(const datasets::Files& files) {
  const int length = files.encoding().forecast.season;
  if (length == 1) return "no season";
  const auto& [found, why] = files.series()->season();
  return fmt::format("season of {}{}", counted(length, "step"),
                     found == length ? fmt::format(" ({})", why) : "");
}

report::Table columns_table(const formats::Findings& findings) {
  report::Table table{.header = {"column", "role", "why"}, .rows = {}};
  const std::vector<Run> runs = runs_of(findings.columns);
  for (const Run& run : std::span(runs).first(std::min(runs.size(), kMostRuns))) {
    table.rows.push_back({{names_of(run)}, {run.first->role}, {run.first->why}});
  }
  if (runs.size() > kMostRuns) {
    table.rows.push_back(
        {{fmt::format("… ({} columns in total)", findings.columns.size())}, {}, {}});
  }
  return table;
}

std::string columns_in_words(const formats::Findings& findings) {
  std::vector<std::string> parts;
  const std::vector<Run> runs = runs_of(findings.columns);
  for (const Run& run : std::span(runs).first(std::min(runs.size(), kMostRuns))) {
    const std::string why = run.first->why.empty() ? "" : fmt::format(" ({})", run.first->why);
    parts.push_back(fmt::format("{}: {}{}", names_of(run), run.first->role, why));
  }
  if (runs.size() > kMostRuns) {
    parts.push_back(fmt::format("… ({} columns in total)", findings.columns.size()));
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

std::string scale_in_words(const formats::Schema& schema, const datasets::Statistics& statistics) {
  if (datasets::choose_scale(schema, statistics) != datasets::Scale::kSequence) return "";
  return fmt::format(
      "each sequence is scaled by itself: deviations differ by a factor of {} between sequences; "
      "--scale data turns it off",
      in_two_digits(*statistics.own.spread()));
}

std::string warnings_text(const formats::Findings& findings) {
  std::string text;
  for (const std::string& warning : findings.warnings) text += "warning: " + warning + "\n";
  return text;
}

}  // namespace rwa::workflows

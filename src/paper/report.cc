#include "paper/report.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "io/replace_file.h"
#include "paper/catalogue.h"
#include "paper/charts.h"
#include "paper/claims.h"
#include "paper/evidence.h"
#include "paper/learned.h"
#include "paper/report_page.h"
#include "paper/section.h"
#include "paper/words.h"
#include "rwa/errors.h"

namespace rwa::paper {
namespace {

namespace fs = std::filesystem;
using report::Table;

constexpr const char* kStepBeaten = "baseline beaten or task learned at";

// The median of scores after the same number of steps.
std::string median_in_words(const std::vector<const training::Metric*>& scores) {
  std::vector<double> losses;
  std::vector<double> accuracies;
  for (const training::Metric* score : scores) {
    losses.push_back(score->loss);
    if (score->accuracy) accuracies.push_back(*score->accuracy);
  }
  if (!accuracies.empty()) return in_percent(median(accuracies), 2);
  training::Metric middle = *scores.front();
  middle.loss = median(losses);
  return loss_in_words(middle);
}

// The longest of the runs for which `has` is true.
template <class Has>
RunList longest(const RunList& runs, Has has) {
  std::map<std::int64_t, std::vector<const training::Record*>> by_steps;
  for (const training::Record* run : runs) {
    if (has(*run)) by_steps[run->steps].push_back(run);
  }
  if (by_steps.empty()) return {};
  return by_steps.rbegin()->second;
}

// Appends the number of steps if other runs were longer.
std::string with_steps(const std::string& words, const training::Record& run,
                       const std::vector<const training::Record*>& all) {
  if (run.steps == most_steps(all)) return words;
  return fmt::format("{} after {}", words, report::counted(run.steps, "step"));
}

// The final score on the whole test set, median over seeds.
std::string final_score(const std::vector<const training::Record*>& all) {
  const auto runs =
      longest(all, [](const training::Record& run) { return final_of(run) != nullptr; });
  if (runs.empty()) return kNothing;
  std::vector<const training::Metric*> scores;
  scores.reserve(runs.size());
  for (const training::Record* run : runs) scores.push_back(final_of(*run));
  return with_steps(median_in_words(scores), *runs.front(), all);
}

Table summary_of(const std::vector<Section>& sections, const Library& ours,
                 const Library& authors) {
  Table table{
      .header = {"experiment", "model", "steps", kStepBeaten, "authors' curves", "final score"},
      .rows = {}};
  for (const Section& section : sections) {
    for (const std::string& model : section.models) {
      const auto runs = runs_by(section, model);
      table.rows.push_back(
          {{id_of(section)},
           {name_of(model)},
           {steps_in_words(most_steps(runs))},
           {beaten_in_words(ours, key_of(section, model))},
           {beaten_in_words(authors, {section.entry->experiment.name, kScript, model})},
           {final_score(runs)}});
    }
  }
  return table;
}

// Adds time and rate, as medians over seeds; "—" if the runs were on different machines.
void add_times(const std::vector<const training::Record*>& all,
               std::vector<report::TableCell>& row) {
  const auto runs = longest(all, is_timed);
  if (machines_of(runs).size() != 1) {
    row.insert(row.end(), {{kNothing}, {kNothing}});
    return;
  }
  std::vector<double> seconds;
  std::vector<double> rates;
  for (const training::Record* run : runs) {
    seconds.push_back(run->train_seconds);
    rates.push_back(steps_per_second(*run));
  }
  row.push_back({with_steps(in_time(median(seconds)), *runs.front(), all)});
  row.push_back({in_rate(median(rates))});
}

Table times_of(const std::vector<Section>& sections) {
  Table table{.header = {"experiment", "model", "steps", "training time", "steps per second"},
              .rows = {}};
  for (const Section& section : sections) {
    for (const std::string& model : section.models) {
      const auto runs = runs_by(section, model);
      auto& row = table.rows.emplace_back();
      row.push_back({id_of(section)});
      row.push_back({name_of(model)});
      row.push_back({steps_in_words(most_steps(runs))});
      add_times(runs, row);
    }
  }
  return table;
}

std::string overview(const std::vector<Section>& sections, bool has_authors) {
  if (sections.empty()) return "No runs of the catalogue's experiments were found.";
  std::vector<std::string> parts;
  std::set<std::string> machines;
  for (const Section& section : sections) {
    parts.push_back(fmt::format("{} ({}, {})", id_of(section),
                                report::counted(most_steps(section.runs), "step"),
                                seeds_in_words(section.runs)));
    machines.merge(machines_of(section.runs));
  }
  std::string text =
      fmt::format("Runs: {}. Hardware: {}.", fmt::join(parts, "; "), fmt::join(machines, "; "));
  if (!has_authors) {
    text += " The authors' curves are not shown: download them with rwa paper data curves.";
  }
  return text;
}

Table without_empty_columns(Table table) {
  for (std::size_t column = table.header.size(); column-- > 0;) {
    const auto is_empty = [&](const auto& row) { return row[column].text == kNothing; };
    if (!std::ranges::all_of(table.rows, is_empty)) continue;
    const auto at = static_cast<std::ptrdiff_t>(column);
    table.header.erase(table.header.begin() + at);
    for (auto& row : table.rows) row.erase(row.begin() + at);
  }
  return table;
}

}  // namespace

Report make_report(const std::vector<training::Record>& records, const fs::path& reference) {
  const Sorted sorted = sort_runs(records);
  const Library ours = evidence_of(sorted.runs);
  const Library authors = evidence_of_authors(reference);
  const std::vector<Section> sections = sections_of(sorted.runs, ours);

  Report report;
  std::vector<Finding> findings = check_claims(ours, authors);
  report.findings = findings;
  report.scoreboard = scoreboard(findings);
  report.tally = tally(findings);
  const auto not_run = std::stable_partition(
      findings.begin(), findings.end(),
      [](const Finding& finding) { return finding.verdict != report::Mark::kNone; });

  report.left_out = sorted.left_out;
  report.figures = figures_of(ours, authors);
  report.claims = to_table({findings.begin(), not_run});
  report.claims_not_run = to_table({not_run, findings.end()});
  report.summary = summary_of(sections, ours, authors);
  report.times = times_of(sections);
  report.paper_summary = summary_of(of_paper(sections, true), ours, authors);
  report.paper_times = times_of(of_paper(sections, true));
  report.beyond = summary_of(of_paper(sections, false), ours, authors);
  report.challenge = challenge_of(ours);
  report.studies = results_of_studies(sorted.runs, ours);
  for (const StudyResult& result : report.studies) report.figures.push_back(result.figure);

  report.overview = overview(sections, !authors.empty());
  report.page = page_of(report, sections, ours, authors);
  return report;
}

void write_summary(const Report& report, const fs::path& file) {
  std::string text =
      fmt::format("{}\n\n{}.\n\n{}\n{}\n{}\n\n{}\n{}", report.overview, report.tally.in_words(),
                  to_markdown(report.scoreboard), to_markdown(report.summary), kWhatTimesAre,
                  to_markdown(report.times), to_markdown(report.claims));
  if (!report.challenge.rows.empty()) {
    text += fmt::format("\n{}\n\n{}", kWhatTheChallengeIs, to_markdown(report.challenge));
  }
  for (const auto& [study, figure, table, runs] : report.studies) {
    text +=
        fmt::format("\n{}: {}\n\n{}", study->title, study->question, report::to_markdown(table));
  }
  io::replace_text(file, text);
}

std::string table_named(const Report& report, const std::string& name) {
  if (name == "scoreboard")
    return report.tally.in_words() + ".\n\n" + to_markdown(report.scoreboard);
  std::map<std::string, Table> tables = {{"claims", report.claims},
                                         {"summary", report.paper_summary},
                                         {"times", report.paper_times},
                                         {"beyond", report.beyond},
                                         {"thresholds", report.challenge}};
  for (const StudyResult& result : report.studies) tables[result.study->name] = result.table;
  const auto found = tables.find(name);
  if (found != tables.end()) return to_markdown(without_empty_columns(found->second));
  std::vector<std::string> names = {"scoreboard"};
  for (const auto& [known, table] : tables) names.push_back(known);
  throw ConfigError(
      fmt::format("unknown table '{}', expected one of: {}", name, fmt::join(names, ", ")));
}

std::vector<Table> summarise(const std::vector<training::Record>& runs, const Library& authors) {
  const Sorted sorted = sort_runs(runs);
  const Library ours = evidence_of(sorted.runs);
  std::vector<Table> tables = {summary_of(sections_of(sorted.runs, ours), ours, authors)};
  for (StudyResult& result : results_of_studies(sorted.runs, ours)) {
    tables.push_back(std::move(result.table));
  }
  std::erase_if(tables, [](const Table& table) { return table.rows.empty(); });
  return tables;
}

}  // namespace rwa::paper

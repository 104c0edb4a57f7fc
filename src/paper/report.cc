#include "paper/report.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "paper/catalogue.h"
#include "paper/charts.h"
#include "paper/claims.h"
#include "paper/evidence.h"
#include "paper/example.h"
#include "paper/median.h"
#include "paper/words.h"

namespace rwa::paper {
namespace {

namespace fs = std::filesystem;
using report::Table;
using report::Text;

constexpr const char* kTitle = "The Recurrent Weighted Average, run again";
constexpr const char* kSubtitle =
    "The experiments of “Machine Learning on Sequential Data Using a Recurrent Weighted Average” "
    "(Ostmeyer and Cowell, 2017), with RWA and LSTM of 250 units each.";

constexpr const char* kHowClaimsAreJudged =
    "Every number that the paper or the authors' logs give, beside ours. A baseline is beaten "
    "at the first of five evaluations in a row with an error of at most 0.95 times the "
    "baseline's (Reber grammar: all samples right; sequence length: at least 97 % right); the "
    "logs' thresholds count from the first evaluation past them. Their curves are judged by "
    "the same rules. As each of their numbers is from one run, a number or “about” counts as "
    "reproduced within a factor of 1.5 (for accuracies: of the error), “by” up to 1.5 times "
    "later, “under” and “over” as they stand. Ours are medians over seeds, with the range in "
    "brackets. Claims of the paper are judged by runs of the task as the paper's text has it, "
    "those of the logs by runs of the task as the released scripts have it, and by the other "
    "where that is all there is: the column “task” says which. “Open” is what the runs so far "
    "leave undecided.";

// What was run of one experiment in one variant.
struct Section {
  const Entry* entry;
  std::string variant;
  std::vector<const run::Record*> runs;  // RWA first, each by seed
};

std::vector<Section> sections_of(const Runs& runs, const Library& ours) {
  std::vector<Section> sections;
  for (const Entry& entry : catalogue()) {
    for (const std::string& variant : variants_run(entry, ours)) {
      Section section{&entry, variant, {}};
      for (const Cell cell : {Cell::kRwa, Cell::kLstm}) {
        const auto found = runs.find({entry.experiment.name, variant, cell});
        if (found == runs.end()) continue;
        std::ranges::copy(found->second, std::back_inserter(section.runs));
      }
      sections.push_back(std::move(section));
    }
  }
  return sections;
}

Key key_of(const Section& section, Cell cell) {
  return {section.entry->experiment.name, section.variant, cell};
}

const run::Metric* final_of(const run::Record& run) {
  const auto found = std::ranges::find(run.metrics, "final", &run::Metric::split);
  return found == run.metrics.end() ? nullptr : &*found;
}

std::string loss_in_words(const run::Metric& metric) {
  return fmt::format("{} {}", in_digits(metric.loss), metric.unit == "mse" ? "MSE" : metric.unit);
}

// On the whole test set, median over seeds.
std::string final_score(const Section& section, Cell cell) {
  std::vector<double> losses;
  std::vector<double> accuracies;
  run::Metric score;
  for (const run::Record* run : section.runs) {
    const run::Metric* final = final_of(*run);
    if (run->experiment.network.cell != cell || final == nullptr) continue;
    score = *final;
    losses.push_back(final->loss);
    if (final->accuracy) accuracies.push_back(*final->accuracy);
  }
  if (losses.empty()) return kNothing;
  if (!accuracies.empty()) return in_percent(median(accuracies), 2);
  score.loss = median(losses);
  return loss_in_words(score);
}

std::set<std::uint64_t> seeds_of(const Section& section) {
  std::set<std::uint64_t> seeds;
  for (const run::Record* run : section.runs) seeds.insert(run->experiment.seed);
  return seeds;
}

std::int64_t most_steps(const Section& section) {
  std::int64_t steps = 0;
  for (const run::Record* run : section.runs) steps = std::max(steps, run->steps);
  return steps;
}

Table summary_of(const std::vector<Section>& sections, const Library& ours,
                 const Library& authors) {
  Table table{.header = {"experiment", "steps", "RWA beats baseline at", "LSTM beats baseline at",
                         "RWA, authors", "LSTM, authors", "RWA final", "LSTM final"},
              .rows = {}};
  for (const Section& section : sections) {
    const auto theirs = [&](Cell cell) {
      return beaten_in_words(authors, {section.entry->experiment.name, kScript, cell});
    };
    table.rows.push_back({{id_of(*section.entry, section.variant)},
                          {in_thousands(static_cast<double>(most_steps(section)))},
                          {beaten_in_words(ours, key_of(section, Cell::kRwa))},
                          {beaten_in_words(ours, key_of(section, Cell::kLstm))},
                          {theirs(Cell::kRwa)},
                          {theirs(Cell::kLstm)},
                          {final_score(section, Cell::kRwa)},
                          {final_score(section, Cell::kLstm)}});
  }
  return table;
}

Table runs_of(const Section& section) {
  Table table{.header = {"model", "seed", "steps", "final loss", "final accuracy", "ms per step",
                         "parameters", "state"},
              .rows = {}};
  for (const run::Record* run : section.runs) {
    const run::Metric* final = final_of(*run);
    const auto steps = static_cast<double>(run->steps);
    table.rows.push_back(
        {{name_of(run->experiment.network.cell)},
         {std::to_string(run->experiment.seed)},
         {in_thousands(steps)},
         {final != nullptr ? loss_in_words(*final) : kNothing},
         {final != nullptr && final->accuracy ? in_percent(*final->accuracy, 2) : kNothing},
         {steps > 0 ? in_digits(1000 * run->train_seconds / steps) : kNothing},
         {in_thousands(static_cast<double>(run->parameters))},
         {run->status}});
  }
  return table;
}

// The command that gives the runs of a section.
std::string command_of(const Section& section) {
  const Entry& entry = *section.entry;
  const std::set<std::uint64_t> seeds = seeds_of(section);
  std::set<Cell> cells;
  for (const run::Record* run : section.runs) cells.insert(run->experiment.network.cell);
  std::string command = "rwa paper run " + entry.experiment.name;
  if (section.variant != entry.experiment.variant) command += " --variant " + section.variant;
  if (cells.size() == 1) command += fmt::format(" --model {}", to_string(*cells.begin()));
  if (const auto steps = most_steps(section); steps != entry.experiment.training.steps) {
    command += fmt::format(" --steps {}", steps);
  }
  if (*seeds.begin() != 1) command += fmt::format(" --seed {}", *seeds.begin());
  if (const auto count = *seeds.rbegin() - *seeds.begin() + 1; count > 1) {
    command += fmt::format(" --seeds {}", count);
  }
  return command;
}

std::string overview(const std::vector<Section>& sections, bool has_authors) {
  if (sections.empty()) return "No run of one of the paper's experiments was found.";
  std::vector<std::string> parts;
  std::set<std::string> machines;
  for (const Section& section : sections) {
    const auto seeds = seeds_of(section);
    parts.push_back(fmt::format("{} ({} steps, {} {})", id_of(*section.entry, section.variant),
                                in_thousands(static_cast<double>(most_steps(section))),
                                seeds.size() == 1 ? "seed" : "seeds", fmt::join(seeds, ", ")));
    for (const run::Record* run : section.runs) machines.insert(run->machine);
  }
  std::string text =
      fmt::format("What was run: {}. On: {}.", fmt::join(parts, "; "), fmt::join(machines, "; "));
  if (!has_authors) {
    text +=
        " The authors' own curves are not on this machine, and so not shown: rwa paper data curves "
        "fetches them.";
  }
  return text;
}

void add_section(const Section& section, const Library& ours, const Library& authors,
                 report::Page& page) {
  const Entry& entry = *section.entry;
  const std::string id = id_of(entry, section.variant);
  const std::string title = title_of(entry, section.variant);
  page.blocks.emplace_back(report::Heading{title, "experiment-" + id});
  std::string summary = entry.summary;
  if (section.variant == kScript) {
    summary +=
        fmt::format(" This is the task as in the authors' scripts: {}.", entry.script_differs);
  }
  page.blocks.emplace_back(Text{summary});
  for (auto& example : examples_of(section.runs.front()->experiment)) {
    page.blocks.emplace_back(std::move(example));
  }
  page.blocks.emplace_back(
      report::Figure{.id = "figure-" + id,
                     .title = fmt::format("As in Figure {}", entry.figure),
                     .panels = {chart_of(entry, section.variant, ours, authors)}});
  page.blocks.emplace_back(Text{
      fmt::format("Step at which the baseline is beaten: RWA {}, LSTM {}. The final scores are "
                  "of the whole test set; the times are those of training alone.",
                  beaten_in_words(ours, key_of(section, Cell::kRwa)),
                  beaten_in_words(ours, key_of(section, Cell::kLstm)))});
  page.blocks.emplace_back(runs_of(section));
  page.blocks.emplace_back(Text{"To run it again: " + command_of(section)});
}

}  // namespace

Report make_report(const std::vector<run::Record>& records, const fs::path& reference) {
  const Sorted sorted = sort_runs(records);
  const Library ours = evidence_of(sorted.runs);
  const Library authors = evidence_of_authors(reference);
  const std::vector<Section> sections = sections_of(sorted.runs, ours);

  std::vector<Finding> findings = check_claims(ours, authors);
  const auto not_run = std::ranges::stable_partition(
      findings, [](const Finding& finding) { return finding.verdict != report::Mark::kNone; });

  Report report;
  report.figures = figures_of(ours, authors);
  report.claims = to_table({findings.begin(), not_run.begin()});
  report.claims_not_run = to_table({not_run.begin(), not_run.end()});
  report.summary = summary_of(sections, ours, authors);

  report::Page& page = report.page;
  page.title = kTitle;
  page.subtitle = kSubtitle;
  page.blocks.emplace_back(Text{overview(sections, !authors.empty())});
  page.blocks.emplace_back(report.summary);
  page.blocks.emplace_back(report::Heading{"The paper's claims", "claims"});
  page.blocks.emplace_back(Text{kHowClaimsAreJudged});
  page.blocks.emplace_back(report.claims);
  for (const Section& section : sections) add_section(section, ours, authors, page);
  if (!report.claims_not_run.rows.empty()) {
    page.blocks.emplace_back(report::Heading{"Claims of what was not run", "not-run"});
    page.blocks.emplace_back(report.claims_not_run);
  }
  if (!sorted.left_out.empty()) {
    page.blocks.emplace_back(Text{
        fmt::format("Left out, as they are not the paper's experiments (there: the run, here: the "
                    "paper): {}.",
                    fmt::join(sorted.left_out, "; "))});
  }
  return report;
}

}  // namespace rwa::paper

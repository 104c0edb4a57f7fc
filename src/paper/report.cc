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
#include "paper/words.h"
#include "rwa/errors.h"

namespace rwa::paper {
namespace {

namespace fs = std::filesystem;
using report::Table;
using report::Text;

constexpr const char* kTitle = "Recurrent Weighted Average: a reproduction";
constexpr const char* kSubtitle =
    "The experiments of “Machine Learning on Sequential Data Using a Recurrent Weighted Average” "
    "(Ostmeyer and Cowell, 2017) with RWA and LSTM of 250 units each, and further experiments.";

constexpr const char* kHowClaimsAreJudged =
    "Each number reported in the paper or in the authors' logs, and the number measured here. The "
    "baseline counts as beaten at the first of five consecutive evaluations with a loss of at most "
    "0.95 times that of the baseline (Reber grammar: 100 % accuracy; sequence length: at least "
    "97 %). A threshold from the logs counts as reached at the first evaluation past it. The "
    "authors' curves are measured in the same way. Since each reported number comes from a single "
    "run, a number or “about” counts as reproduced within a factor of 1.5 (for accuracies: of the "
    "error), “by” up to 1.5 times later, and “under” and “over” as stated. Measured numbers are "
    "medians over seeds, with the range in brackets. Claims of the paper are tested on the task as "
    "described in its text, claims from the logs on the task of the released scripts; on the other "
    "variant if there are no such runs. The column “task” names the variant. “Open” means that the "
    "runs so far do not decide the claim.";

constexpr const char* kWhatTimesAre = "Training times without evaluations, as medians over seeds.";

constexpr const char* kWhatTheChallengeIs =
    "The step at which each model reaches the thresholds of the paper's experiments, and the ratio "
    "to the steps of RWA and LSTM.";

constexpr const char* kStepBeaten = "baseline beaten or task learned at";

// The runs of one experiment in one variant.
struct Section {
  const Entry* entry;
  std::string variant;
  std::vector<std::string> models;
  std::vector<const training::Record*> runs;  // model by model, each by seed
};

std::vector<Section> sections_of(const Runs& runs, const Library& ours) {
  std::vector<Section> sections;
  for (const Entry& entry : catalogue()) {
    for (const std::string& variant : variants_run(entry, ours)) {
      Section section{&entry, variant, models_run(entry, variant, ours), {}};
      for (const std::string& model : section.models) {
        const auto& of_model = runs.at({entry.experiment.name, variant, model});
        std::ranges::copy(of_model, std::back_inserter(section.runs));
      }
      sections.push_back(std::move(section));
    }
  }
  return sections;
}

Key key_of(const Section& section, const std::string& model) {
  return {section.entry->experiment.name, section.variant, model};
}

std::string id_of(const Section& section) {
  return paper::id_of(in_variant(*section.entry, section.variant));
}

std::string loss_in_words(const training::Metric& metric) {
  return fmt::format("{} {}", in_digits(metric.loss), report::unit_name(metric.unit));
}

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

std::set<std::uint64_t> seeds_of(const std::vector<const training::Record*>& runs) {
  std::set<std::uint64_t> seeds;
  for (const training::Record* run : runs) seeds.insert(run->experiment.seed);
  return seeds;
}

std::int64_t most_steps(const std::vector<const training::Record*>& runs) {
  std::int64_t steps = 0;
  for (const training::Record* run : runs) steps = std::max(steps, run->steps);
  return steps;
}

std::vector<const training::Record*> runs_by(const Section& section, const std::string& model) {
  std::vector<const training::Record*> runs = section.runs;
  std::erase_if(runs, [&](const training::Record* run) {
    return training::model_name(run->experiment) != model;
  });
  return runs;
}

// The longest of the runs for which `has` is true.
template <class Has>
std::vector<const training::Record*> longest(const std::vector<const training::Record*>& runs,
                                             Has has) {
  std::map<std::int64_t, std::vector<const training::Record*>> by_steps;
  for (const training::Record* run : runs) {
    if (has(*run)) by_steps[run->steps].push_back(run);
  }
  if (by_steps.empty()) return {};
  return by_steps.rbegin()->second;
}

std::string steps_in_words(std::int64_t steps) { return in_thousands(static_cast<double>(steps)); }

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

std::set<std::string> machines_of(const std::vector<const training::Record*>& runs) {
  std::set<std::string> machines;
  for (const training::Record* run : runs) {
    machines.insert(run->machine.empty() ? "an unknown machine" : run->machine);
  }
  return machines;
}

bool is_timed(const training::Record& run) { return run.steps > 0 && run.train_seconds > 0; }
double steps_per_second(const training::Record& run) {
  return static_cast<double>(run.steps) / run.train_seconds;
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

Table table_of(const std::vector<const training::Record*>& runs) {
  Table table{.header = {"model", "seed", "steps", "final loss", "final accuracy", "training time",
                         "steps per second", "parameters", "status"},
              .rows = {}};
  for (const training::Record* run : runs) {
    const training::Metric* final = final_of(*run);
    table.rows.push_back(
        {{name_of(training::model_name(run->experiment))},
         {std::to_string(run->experiment.seed)},
         {steps_in_words(run->steps)},
         {final != nullptr ? loss_in_words(*final) : kNothing},
         {final != nullptr && final->accuracy ? in_percent(*final->accuracy, 2) : kNothing},
         {is_timed(*run) ? in_time(run->train_seconds) : kNothing},
         {is_timed(*run) ? in_rate(steps_per_second(*run)) : kNothing},
         {in_thousands(static_cast<double>(run->parameters))},
         {std::string(to_string(run->status))}});
  }
  return table;
}

// The command-line options for these seeds, one string per contiguous range.
std::vector<std::string> seed_options(const std::set<std::uint64_t>& seeds) {
  std::vector<std::string> options;
  for (auto first = seeds.begin(); first != seeds.end();) {
    std::uint64_t count = 0;
    auto next = first;
    while (next != seeds.end() && *next == *first + count) {
      ++next;
      ++count;
    }
    options.emplace_back();
    if (*first != 1) options.back() += fmt::format(" --seed {}", *first);
    if (count > 1) options.back() += fmt::format(" --seeds {}", count);
    first = next;
  }
  return options;
}

// " --model gru,lstm"; empty if these are all models, the default.
template <class Named>
std::string model_option(const std::vector<std::string>& models, const std::vector<Named>& all) {
  if (std::ranges::equal(models, all, {}, {}, &Named::name)) return "";
  return fmt::format(" --model {}", fmt::join(models, ","));
}

// The cases that were run, in the order of the study.
std::vector<std::string> models_of(const StudyResult& result) {
  std::vector<std::string> models;
  for (const Case& one : result.study->cases) {
    const auto is_of_case = [&](const training::Record* run) {
      return training::model_name(run->experiment) == one.name;
    };
    if (std::ranges::any_of(result.runs, is_of_case)) models.push_back(one.name);
  }
  return models;
}

std::set<std::string> devices_of(const std::vector<const training::Record*>& runs) {
  std::set<std::string> devices;
  for (const training::Record* run : runs) devices.insert(run->experiment.device);
  return devices;
}

std::string device_option(const std::vector<const training::Record*>& runs) {
  const std::set<std::string> devices = devices_of(runs);
  return devices.size() == 1 && !devices.contains("cpu") ? " --device " + *devices.begin() : "";
}

// The command, once for each range of seeds.
std::string with_seeds(const std::string& command,
                       const std::vector<const training::Record*>& runs) {
  std::vector<std::string> commands = seed_options(seeds_of(runs));
  for (std::string& options : commands) options.insert(0, command);
  return fmt::format("To reproduce: {}", fmt::join(commands, "; "));
}

// The commands that reproduce the runs of a section at full length.
std::string commands_of(const Section& section) {
  const Entry& entry = *section.entry;
  std::int64_t steps = 0;
  for (const training::Record* run : section.runs) {
    steps = std::max(steps, run->experiment.training.steps);
  }
  std::string command = "rwa paper run " + entry.experiment.name;
  if (section.variant != kText) command += " --variant " + section.variant;
  command += model_option(section.models, entry.models);
  if (steps != entry.experiment.training.steps) command += fmt::format(" --steps {}", steps);
  return with_seeds(command + device_option(section.runs), section.runs);
}

std::string seeds_in_words(const std::vector<const training::Record*>& runs) {
  const auto seeds = seeds_of(runs);
  return fmt::format("{} {}", seeds.size() == 1 ? "seed" : "seeds", fmt::join(seeds, ", "));
}

// The beginning of a figure's caption.
std::string setup_in_words(const std::vector<const training::Record*>& runs) {
  return fmt::format("{}; {}; device {}.", report::counted(most_steps(runs), "training step"),
                     seeds_in_words(runs), fmt::join(devices_of(runs), ", "));
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

// What beaten_in_words() refers to: tasks beyond the paper must be learned, not only solved better
// than the baseline.
std::string goal_in_words(const Entry& entry) {
  if (is_of_paper(entry) || !entry.beats.accuracy) return "Baseline beaten at step";
  return fmt::format("Learned (five consecutive evaluations with {} accuracy or more) at step",
                     in_percent(*entry.beats.accuracy, 0));
}

void add_section(const Section& section, const Library& ours, const Library& authors,
                 report::Page& page) {
  const Entry& entry = *section.entry;
  const std::string id = id_of(section);
  const std::string title = with_variant(entry.title, section.variant);
  page.blocks.emplace_back(report::Heading{title, "experiment-" + id});
  std::string summary = entry.summary;
  if (section.variant == kScript) {
    summary +=
        fmt::format(" This is the variant of the authors' scripts: {}.", entry.script_differs);
  }
  page.blocks.emplace_back(Text{summary});
  for (auto& example : examples_of(section.runs.front()->experiment)) {
    page.blocks.emplace_back(std::move(example));
  }
  report::Chart chart = chart_of(entry, section.variant, ours, authors);
  chart.caption = setup_in_words(section.runs) + " " + chart.caption;
  page.blocks.emplace_back(report::Figure{
      .id = "figure-" + id,
      .title = is_of_paper(entry) ? fmt::format("Reproduction of Figure {}", entry.figure)
                                  : "Training curves",
      .panels = {std::move(chart)}});
  std::vector<std::string> beaten;
  for (const std::string& model : section.models) {
    beaten.push_back(name_of(model) + " " + beaten_in_words(ours, key_of(section, model)));
  }
  page.blocks.emplace_back(Text{fmt::format(
      "{}: {}. Final scores are on the whole test set; times are training only, on {}.",
      goal_in_words(entry), fmt::join(beaten, ", "), fmt::join(machines_of(section.runs), "; "))});
  if (Table expected = expectations_of(entry, ours);
      section.variant == kText && !expected.rows.empty()) {
    page.blocks.emplace_back(std::move(expected));
  }
  page.blocks.emplace_back(table_of(section.runs));
  page.blocks.emplace_back(Text{commands_of(section)});
}

void add_study(const StudyResult& result, report::Page& page) {
  const Study& study = *result.study;
  page.blocks.emplace_back(report::Heading{study.title, "study-" + study.name});
  page.blocks.emplace_back(Text{study.question});
  report::Figure figure = result.figure;
  figure.id = "figure-of-" + study.name;
  figure.title = "Results";
  for (report::Chart& panel : figure.panels) {
    std::vector<const training::Record*> runs = result.runs;
    std::erase_if(runs, [&](const training::Record* run) {
      return paper::id_of(run->experiment) != panel.id;
    });
    panel.caption = setup_in_words(runs) + " " + panel.caption;
  }
  page.blocks.emplace_back(std::move(figure));
  page.blocks.emplace_back(result.table);
  const std::string command = "rwa paper run " + study.name +
                              model_option(models_of(result), study.cases) +
                              device_option(result.runs);
  page.blocks.emplace_back(Text{with_seeds(command, result.runs)});
}

// The sections of the paper's experiments, or of the others.
std::vector<Section> of_paper(std::vector<Section> sections, bool wanted) {
  std::erase_if(sections, [&](const Section& one) { return (one.entry->figure > 0) != wanted; });
  return sections;
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

  std::vector<Finding> findings = check_claims(ours, authors);
  Report report;
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

  report::Page& page = report.page;
  page.title = kTitle;
  page.subtitle = kSubtitle;
  report.overview = overview(sections, !authors.empty());
  page.blocks.emplace_back(Text{report.overview});
  page.blocks.emplace_back(report.summary);
  page.blocks.emplace_back(Text{kWhatTimesAre});
  page.blocks.emplace_back(report.times);
  if (!report.claims.rows.empty()) {
    page.blocks.emplace_back(report::Heading{"The paper's claims", "claims"});
    page.blocks.emplace_back(Text{kHowClaimsAreJudged});
    page.blocks.emplace_back(report.claims);
  }
  if (!report.challenge.rows.empty()) {
    page.blocks.emplace_back(report::Heading{"Other models", "challenge"});
    page.blocks.emplace_back(Text{kWhatTheChallengeIs});
    page.blocks.emplace_back(report.challenge);
  }
  for (const Section& section : sections) add_section(section, ours, authors, page);
  for (const StudyResult& result : report.studies) add_study(result, page);
  if (!report.claims_not_run.rows.empty()) {
    page.blocks.emplace_back(report::Heading{"Claims not tested by these runs", "not-run"});
    page.blocks.emplace_back(report.claims_not_run);
  }
  if (!sorted.left_out.empty()) {
    page.blocks.emplace_back(Text{fmt::format(
        "Skipped: {}. Only runs of the catalogue and of studies count, each seed once. “There” is "
        "the run, “here” the catalogue.",
        fmt::join(sorted.left_out, "; "))});
  }
  return report;
}

void write_summary(const Report& report, const fs::path& file) {
  std::string text =
      fmt::format("{}\n\n{}.\n\n{}\n{}\n{}\n\n{}\n{}", report.overview, report.tally,
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
  if (name == "scoreboard") return report.tally + ".\n\n" + to_markdown(report.scoreboard);
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

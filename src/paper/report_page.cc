#include "paper/report_page.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "paper/charts.h"
#include "paper/learned.h"
#include "paper/reproduce.h"
#include "paper/words.h"
#include "report/text.h"

namespace rwa::paper {
namespace {

using report::Heading;
using report::Page;
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

constexpr const char* kHowToRead =
    "Scores on test samples, by training step. Lines are medians over seeds, bands span minimum to "
    "maximum. Dashed: the baseline, the best score possible without the input. Faint: the authors' "
    "own curves, from the task of their scripts.";

std::string with_sign(const std::string& text, report::Mark mark) {
  if (mark == report::Mark::kYes) return text + " ✓";
  return mark == report::Mark::kNo ? text + " ✗" : text;
}

// "Beats the baseline: RWA 1,000 ✓ (paper: about 1,000), LSTM 7,800 ✗ (paper: over 10,000)."
std::string claims_in_words(const Entry& entry, const std::vector<Finding>& findings) {
  std::vector<std::string> models;
  std::string claim;
  for (const Finding& found : findings) {
    if (!found.headline || found.experiment != entry.experiment.name) continue;
    if (found.verdict == report::Mark::kNone) continue;
    claim = found.claim;
    models.push_back(
        fmt::format("{} {} ({})", found.model, with_sign(found.ours, found.verdict), found.said));
  }
  if (models.empty()) return "";
  claim.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(claim.front())));
  return fmt::format("{}: {}.", claim, fmt::join(models, ", "));
}

// What beaten_in_words() refers to: tasks beyond the paper must be learned, not only solved better
// than the baseline.
std::string goal_in_words(const Entry& entry) {
  if (is_of_paper(entry) || !entry.beats.accuracy) return "Baseline beaten at step";
  return fmt::format("Learned (five consecutive evaluations with {} accuracy or more) at step",
                     in_percent(*entry.beats.accuracy, 0));
}

std::string steps_to_goal(const Section& section, const Library& ours) {
  std::vector<std::string> beaten;
  for (const std::string& model : section.models) {
    beaten.push_back(name_of(model) + " " + beaten_in_words(ours, key_of(section, model)));
  }
  return fmt::format("{}: {}.", goal_in_words(*section.entry), fmt::join(beaten, ", "));
}

// A panel for each variant that was run. The sections are those of one experiment.
report::Figure figure_of(const std::vector<Section>& sections, const std::vector<Finding>& findings,
                         const Library& ours, const Library& authors) {
  const Entry& entry = *sections.front().entry;
  report::Figure figure{.id = "figure-of-" + entry.experiment.name,
                        .title = entry.title,
                        .caption = claims_in_words(entry, findings),
                        .is_small = true};
  if (figure.caption.empty()) figure.caption = steps_to_goal(sections.front(), ours);
  for (const Section& section : sections) {
    report::Chart chart = chart_of(entry, section.variant, ours, authors);
    chart.title = section.variant == kScript ? "Task of the authors' scripts" : "Task of the text";
    if (!is_of_paper(entry)) chart.title = "Test score";
    chart.caption.clear();
    figure.panels.push_back(std::move(chart));
  }
  return figure;
}

void add_figures(const Heading& heading, const std::vector<Section>& sections, const Report& report,
                 const Library& ours, const Library& authors, Page& page) {
  if (sections.empty()) return;
  page.blocks.emplace_back(heading);
  page.blocks.emplace_back(Text{kHowToRead});
  for (std::size_t i = 0; i < sections.size();) {
    std::vector<Section> same;
    const Entry* const entry = sections[i].entry;
    for (; i < sections.size() && sections[i].entry == entry; ++i) same.push_back(sections[i]);
    page.blocks.emplace_back(figure_of(same, report.findings, ours, authors));
  }
}

void add_claims(const Report& report, Page& page) {
  if (report.claims.rows.empty()) return;
  page.blocks.emplace_back(Heading{"The paper's claims", "claims"});
  page.blocks.emplace_back(Text{kHowClaimsAreJudged});
  page.blocks.emplace_back(report.claims);
}

void add_results(const Report& report, Page& page) {
  if (!report.summary.rows.empty()) {
    page.blocks.emplace_back(Heading{"Results and times", "results"});
    page.blocks.emplace_back(report.summary);
    page.blocks.emplace_back(Text{kWhatTimesAre});
    page.blocks.emplace_back(report.times);
  }
  if (!report.challenge.rows.empty()) {
    page.blocks.emplace_back(Heading{"Other models", "challenge"});
    page.blocks.emplace_back(Text{kWhatTheChallengeIs});
    page.blocks.emplace_back(report.challenge);
  }
}

void add_study(const StudyResult& result, Page& page) {
  page.blocks.emplace_back(Heading{result.study->title, "study-" + result.study->name, true});
  page.blocks.emplace_back(Text{result.study->question});
  report::Figure figure = result.figure;
  figure.id = "figure-of-study-" + result.study->name;
  figure.title.clear();
  figure.is_small = true;
  for (report::Chart& panel : figure.panels) panel.caption.clear();
  page.blocks.emplace_back(std::move(figure));
  page.blocks.emplace_back(result.table);
  page.blocks.emplace_back(report::Code{commands_of(result)});
}

Table table_of(const RunList& runs) {
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

// "1,200 training steps; seeds 1, 2, 3; device cpu."
std::string setup_in_words(const RunList& runs) {
  return fmt::format("{}; {}; device {}.", report::counted(most_steps(runs), "training step"),
                     seeds_in_words(runs), fmt::join(devices_of(runs), ", "));
}

std::string task_in_words(const Section& section) {
  const Entry& entry = *section.entry;
  if (section.variant != kScript) return entry.summary;
  return fmt::format("{} This is the variant of the authors' scripts: {}.", entry.summary,
                     entry.script_differs);
}

void add_details(const Section& section, const Library& ours, Page& page) {
  const Entry& entry = *section.entry;
  page.blocks.emplace_back(
      Heading{with_variant(entry.title, section.variant), "experiment-" + id_of(section), true});
  page.blocks.emplace_back(Text{task_in_words(section)});
  for (auto& example : examples_of(section.runs.front()->experiment)) {
    page.blocks.emplace_back(std::move(example));
  }
  const training::Evaluation& evaluation = section.runs.front()->experiment.evaluation;
  page.blocks.emplace_back(Text{fmt::format(
      "{} Evaluated every {} on {}. {} Final scores are on the whole test set; times are training "
      "only, on {}.",
      setup_in_words(section.runs), report::counted(evaluation.every, "step"),
      report::counted(evaluation.samples, "test sample"), steps_to_goal(section, ours),
      fmt::join(machines_of(section.runs), "; "))});
  if (Table expected = expectations_of(entry, ours);
      section.variant == kText && !expected.rows.empty()) {
    page.blocks.emplace_back(std::move(expected));
  }
  page.blocks.emplace_back(table_of(section.runs));
  page.blocks.emplace_back(report::Code{commands_of(section)});
}

report::Lead lead_of(const Tally& tally) {
  return {tally.result(),
          fmt::format("{}{}", tally.open > 0 ? fmt::format("{} open. ", tally.open) : "",
                      tally.sources()) +
              "."};
}

}  // namespace

Page page_of(const Report& report, const std::vector<Section>& sections, const Library& ours,
             const Library& authors) {
  Page page{.title = kTitle, .subtitle = kSubtitle};
  if (!report.claims.rows.empty()) page.blocks.emplace_back(lead_of(report.tally));
  add_figures({"The paper's experiments", "experiments"}, of_paper(sections, true), report, ours,
              authors, page);
  add_figures({"Beyond the paper", "beyond"}, of_paper(sections, false), report, ours, authors,
              page);
  add_claims(report, page);
  add_results(report, page);
  if (!report.studies.empty()) page.blocks.emplace_back(Heading{"Studies", "studies"});
  for (const StudyResult& result : report.studies) add_study(result, page);
  page.blocks.emplace_back(Heading{"Details", "details"});
  page.blocks.emplace_back(Text{report.overview});
  for (const Section& section : sections) add_details(section, ours, page);
  if (!report.claims_not_run.rows.empty()) {
    page.blocks.emplace_back(Heading{"Claims not tested by these runs", "not-run"});
    page.blocks.emplace_back(report.claims_not_run);
  }
  if (!report.left_out.empty()) {
    page.blocks.emplace_back(Text{fmt::format(
        "Skipped: {}. Only runs of the catalogue and of studies count, each seed once. “There” is "
        "the run, “here” the catalogue.",
        fmt::join(report.left_out, "; "))});
  }
  return page;
}

}  // namespace rwa::paper

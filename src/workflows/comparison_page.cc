// src/workflows/comparison_page.cc: the page that compares runs.
#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/text.h"
#include "workflows/comparison.h"
#include "workflows/learning_curves.h"
#include "workflows/train.h"

namespace rwa::workflows {
namespace {

namespace fs = std::filesystem;
using report::Curve;
using report::Role;
using training::Record;

constexpr std::size_t kColours = 2 + report::kOtherRoles;
constexpr Role kFaint = Role::kRwaReference;

// The groups with the best scores have a colour each, the others none.
Role role_of(std::size_t group) {
  if (group >= kColours) return kFaint;
  constexpr std::array<Role, 2> kFirst = {Role::kRwa, Role::kLstm};
  return group < kFirst.size() ? kFirst[group] : report::other_role(group - kFirst.size());
}

std::string label_of(const RunComparison& found, std::size_t group) {
  if (group > kColours) return "";
  if (group < kColours) return found.groups[group].name;
  const auto others = static_cast<std::int64_t>(found.groups.size() - kColours);
  return report::counted(others, "other group");
}

std::string label_of_run(const RunComparison& found, std::size_t run) {
  return run < kColours ? found.runs[run].name
         : run == kColours
             ? report::counted(static_cast<std::int64_t>(found.runs.size() - kColours), "other run")
             : "";
}

// The evaluations to draw: without held-out data during training, those of training.
std::string_view split_of(const RunComparison& found) {
  for (const std::string_view split : {"valid", "test"}) {
    const auto has_split = [&](const ComparedRun& run) {
      return std::ranges::find(run.record.metrics, split, &training::Metric::split) !=
             run.record.metrics.end();
    };
    if (std::ranges::any_of(found.runs, has_split)) return split;
  }
  return "train";
}

std::string name_of(std::string_view split) {
  if (split == "valid") return "validation data";
  return split == "test" ? "test data" : "training data";
}

bool has_repeats(const RunComparison& found) { return found.groups.size() < found.runs.size(); }

// Whether each run has a curve, and not each group: without repetitions, or if there are few.
bool has_curve_for_each_run(const RunComparison& found) {
  return !has_repeats(found) || (found.groups.size() == 1 && found.runs.size() <= kColours);
}

// Groups as medians with bands.
std::vector<Curve> curves_of(const RunComparison& found, std::string_view split, Height height) {
  std::vector<Curve> curves;
  const bool by_run = has_curve_for_each_run(found);
  for (std::size_t i = 0; by_run && i < found.runs.size(); ++i) {
    curves.push_back(
        curve_of(found.runs[i].record, split, label_of_run(found, i), role_of(i), height));
  }
  for (std::size_t i = 0; !by_run && i < found.groups.size(); ++i) {
    std::vector<Curve> runs;
    for (const std::size_t run : found.groups[i].runs) {
      runs.push_back(curve_of(found.runs[run].record, split, "", role_of(i), height));
    }
    curves.push_back(report::median_curve(runs, label_of(found, i), role_of(i)));
  }
  return curves;
}

void add_curves(const RunComparison& found, report::Page& page) {
  const std::string_view split = split_of(found);
  const auto& metrics = found.runs.front().record.metrics;
  report::Figure figure{.id = "figure-curves", .title = ""};
  figure.panels = learning_panels(metrics.empty() ? "" : report::unit_name(metrics.front().unit),
                                  [&](Height height) { return curves_of(found, split, height); });
  const auto is_empty = [](const Curve& curve) { return curve.x.empty(); };
  if (std::ranges::all_of(figure.panels.front().curves, is_empty)) return;
  page.blocks.emplace_back(report::Heading{"Learning curves", "curves"});
  page.blocks.emplace_back(report::Text{
      fmt::format("On the {}. {}", name_of(split),
                  has_curve_for_each_run(found) ? "The best runs come first."
                                                : "Lines are medians over runs of equal settings, "
                                                  "bands span minimum to maximum; the best "
                                                  "settings come first.")});
  page.blocks.emplace_back(std::move(figure));
}

// "accuracy 96.5 ± 0.7 %" for the score "accuracy, %".
std::string score_in_words(const std::string& name, const std::string& value) {
  const std::size_t comma = name.find(", ");
  const std::string unit = comma == std::string::npos ? "" : " " + name.substr(comma + 2);
  return fmt::format("{} {}{}", name.substr(0, comma), value, unit);
}

// The score that matters most, of the best group.
std::string best_in_words(const RunComparison& found) {
  const report::Table groups = table_of_groups(found);
  const bool repeats = !groups.rows.empty();
  const report::Table table = repeats ? groups : table_of_runs(found);
  const auto& best = table.rows.front();
  return fmt::format("{}: {}", best[0].text,
                     score_in_words(found.scores.front(), best[repeats ? 2 : 1].text));
}

report::Card card_of(const RunComparison& found) {
  report::Card card;
  const auto add = [&](const char* name, std::string text) {
    card.facts.push_back({name, report::Text{std::move(text)}});
  };
  const auto runs = static_cast<std::int64_t>(found.runs.size());
  const auto groups = static_cast<std::int64_t>(found.groups.size());
  add("Runs", has_repeats(found) && groups > 1
                  ? fmt::format("{} with {}", report::counted(runs, "run"),
                                report::counted(groups, "choice") + " of settings")
                  : report::counted(runs, "run"));
  if (!found.settings.empty()) add("Settings that differ", report::abbreviated(found.settings));
  if (found.scores.empty()) {
    add("Scores", "No run has finished yet.");
    return card;
  }
  if (!found.has_one_data_set) {
    add("Note", "These runs have different data: scores compare only within one data set.");
    return card;
  }
  add("Best", best_in_words(found));
  std::vector<std::string> others;
  for (const auto& [name, final, scores] : mean_baselines(found)) {
    const auto score = std::ranges::find(scores, found.scores.front(), &training::NamedScore::name);
    if (score == scores.end()) continue;
    others.push_back(fmt::format("{}: {}", name,
                                 score_in_words(score->name, report::in_digits(score->value, 4))));
  }
  if (!others.empty()) {
    add(others.size() == 1 ? "Baseline" : "Baselines", fmt::format("{}", fmt::join(others, ", ")));
  }
  return card;
}

// A path as an address.
std::string link_to(const fs::path& path) {
  constexpr std::string_view kPlain = "-._~/";
  std::string link;
  for (const char c : path.generic_string()) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_plain = std::isalnum(byte) != 0 || kPlain.find(c) != std::string_view::npos;
    link += is_plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return link;
}

void add_links(const RunComparison& found, const fs::path& folder, report::Table& table) {
  const fs::path from = fs::absolute(folder).lexically_normal();
  for (std::size_t i = 0; i < found.runs.size(); ++i) {
    const fs::path page =
        fs::absolute(found.runs[i].record.folder).lexically_normal() / kReportFile;
    if (fs::exists(page)) table.rows[i].front().link = link_to(page.lexically_relative(from));
  }
}

std::string title_of(const RunComparison& found) {
  const std::string& name = found.runs.front().record.experiment.name;
  const bool is_shared = std::ranges::all_of(
      found.runs, [&](const ComparedRun& run) { return run.record.experiment.name == name; });
  return is_shared ? name + ": runs compared" : "Runs compared";
}

}  // namespace

report::Page comparison_page(const RunComparison& found, const fs::path& folder) {
  report::Page page{.title = title_of(found),
                    .subtitle = "Scores, learning curves and the settings in which runs differ.",
                    .blocks = {}};
  page.blocks.emplace_back(card_of(found));
  add_curves(found, page);
  if (report::Table groups = table_of_groups(found); !groups.rows.empty()) {
    page.blocks.emplace_back(report::Heading{"Scores by settings", "settings"});
    page.blocks.emplace_back(std::move(groups));
  }
  report::Table runs = table_of_runs(found);
  add_links(found, folder, runs);
  page.blocks.emplace_back(report::Heading{"Runs", "runs"});
  page.blocks.emplace_back(
      report::Text{"Click on a column to sort by it, on a run for its report."});
  page.blocks.emplace_back(std::move(runs));
  return page;
}

void write_comparison(const std::vector<fs::path>& runs, const fs::path& folder) {
  std::vector<Record> records;
  records.reserve(runs.size());
  for (const fs::path& run : runs) records.push_back(training::read_run(run));
  report::write_page(comparison_page(compare_runs(std::move(records)), folder),
                     folder / kComparisonFile);
}

}  // namespace rwa::workflows

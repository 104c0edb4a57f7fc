#include "paper/learned.h"

#include <algorithm>
#include <string>
#include <vector>

#include "paper/charts.h"
#include "paper/claims.h"
#include "paper/words.h"

namespace rwa::paper {
namespace {

using report::Mark;

// Whether a model did as expected. Open if it has not learned and a run is incomplete.
Mark verdict_of(bool right, const Known& learned, const std::vector<Evidence>& runs) {
  if (learned.exact()) return right ? Mark::kYes : Mark::kNo;
  const bool whole = std::ranges::all_of(
      runs, [](const Evidence& evidence) { return evidence.final.has_value(); });
  if (!whole) return Mark::kOpen;
  return right ? Mark::kNo : Mark::kYes;
}

std::string in_words(Mark verdict) {
  return verdict == Mark::kYes ? "yes" : verdict == Mark::kNo ? "no" : "open";
}

}  // namespace

report::Table expectations_of(const Entry& entry, const Library& ours) {
  report::Table table{.header = {"model", "expected to learn", "learned at step", "as expected"},
                      .rows = {}};
  if (std::ranges::none_of(entry.models, &NamedModel::right)) return table;
  const Claim learns{.text = "", .source = "", .rwa = {}, .lstm = {}};
  for (const NamedModel& model : entry.models) {
    const Key key{entry.experiment.name, kText, model.name};
    const auto learned = measured(ours, key, learns);
    if (!learned) continue;
    const Mark verdict = verdict_of(model.right, *learned, ours.at(key));
    table.rows.push_back({{name_of(model.name)},
                          {model.right ? "yes" : "no"},
                          {beaten_in_words(ours, key)},
                          {in_words(verdict), verdict}});
  }
  return table;
}

namespace {

// The thresholds of an entry without duplicates; at least that of beating the baseline.
std::vector<Claim> milestones_of(const Entry& entry) {
  std::vector<Claim> milestones;
  const auto add = [&](const Claim& claim) {
    const auto same = [&](const Claim& other) {
      return other.measure == claim.measure && other.threshold == claim.threshold;
    };
    if (std::ranges::none_of(milestones, same)) milestones.push_back(claim);
  };
  for (const Claim& claim : entry.claims) {
    if (is_a_step(claim.measure)) add(claim);
  }
  add({.text = "beats the baseline", .source = "", .rwa = {}, .lstm = {}});
  return milestones;
}

void add_rows(const Entry& entry, const Claim& milestone, const Library& ours,
              report::Table& table) {
  for (const std::string& model : models_run(entry, kText, ours)) {
    const Key key{entry.experiment.name, kText, model};
    const auto against = [&](const char* other) {
      if (model == other) return std::string(kNothing);
      return measured_in_words(ours, key, milestone, Against{.experiment = "", .model = other});
    };
    table.rows.push_back({{entry.experiment.name},
                          {milestone.text},
                          {name_of(model)},
                          {measured_in_words(ours, key, milestone)},
                          {against(kRwa)},
                          {against(kLstm)}});
  }
}

bool has_others(const Entry& entry, const Library& ours) {
  const auto models = models_run(entry, kText, ours);
  return std::ranges::any_of(
      models, [](const std::string& model) { return model != kRwa && model != kLstm; });
}

}  // namespace

report::Table challenge_of(const Library& ours) {
  report::Table table{.header = {"experiment", "threshold", "model", "reached at step",
                                 "relative to RWA", "relative to LSTM"},
                      .rows = {}};
  for (const Entry& entry : catalogue()) {
    if (!is_of_paper(entry) || !has_others(entry, ours)) continue;
    for (const Claim& milestone : milestones_of(entry)) add_rows(entry, milestone, ours, table);
  }
  return table;
}

}  // namespace rwa::paper

#include "paper/claims.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "paper/evidence.h"
#include "paper/study.h"
#include "paper/words.h"

namespace rwa::paper {
namespace {

bool compares_with(const std::optional<Said>& said, std::string_view experiment) {
  return said && said->against && said->against->experiment == experiment;
}

}  // namespace

bool is_a_step(Measure measure) {
  return measure == Measure::kBeats || measure == Measure::kLossBelow ||
         measure == Measure::kAccuracyFrom;
}

Goal goal_of(const Beats& beats, const datasets::Naive& naive) {
  constexpr std::size_t kInARow = 5;
  return {kInARow, [beats, naive_loss = naive.loss](const Point& point) {
            if (beats.accuracy) return point.accuracy && *point.accuracy >= *beats.accuracy;
            return beats.loss_fraction && point.loss <= *beats.loss_fraction * naive_loss;
          }};
}

Goal goal_of(const Claim& claim, const Beats& beats, const datasets::Naive& naive) {
  const double threshold = claim.threshold;
  switch (claim.measure) {
    case Measure::kLossBelow:
      return {1, [=](const Point& point) { return point.loss < threshold; }};
    case Measure::kAccuracyFrom:
      return {1,
              [=](const Point& point) { return point.accuracy && *point.accuracy >= threshold; }};
    default:
      return goal_of(beats, naive);
  }
}

std::vector<const Claim*> claims_on(std::string_view experiment) {
  std::vector<const Claim*> claims;
  for (const Entry& entry : catalogue()) {
    for (const Claim& claim : entry.claims) {
      if (entry.experiment.name == experiment || compares_with(claim.rwa, experiment) ||
          compares_with(claim.lstm, experiment)) {
        claims.push_back(&claim);
      }
    }
  }
  for (const Study& study : studies()) {
    for (const StudyExperiment& changed : study.experiments) {
      if (changed.name != experiment) continue;
      for (const Claim& measure : changed.measures) claims.push_back(&measure);
    }
  }
  return claims;
}

namespace {

using report::Mark;

// Claims about all experiments: upper limits for the ratio of RWA to LSTM.
std::vector<Claim> general_claims() {
  const Against lstm{.experiment = "", .model = kLstm};
  return {{.text = "parameters for the same number of units",
           .source = "paper",
           .measure = Measure::kParameters,
           .rwa = Said{.words = "over 25 % fewer than LSTM", .at_most = 0.75, .against = lstm},
           .lstm = {}},
          {.text = "wall-clock time per step for the same number of units",
           .source = "paper",
           .measure = Measure::kSecondsPerStep,
           .rwa = Said{.words = "less than LSTM", .at_most = 1, .against = lstm},
           .lstm = {}}};
}

Known exactly(double value) { return {.low = value, .high = value}; }
Known exactly_or_unknown(const std::optional<double>& value) {
  return value ? exactly(*value) : Known{};
}

// A run that ends in a row of good evaluations may have reached the goal where the row began; any
// other run needs more steps than it has.
Known first_of(const Goal& goal, const std::vector<Point>& points) {
  std::size_t row = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    row = goal.is_good(points[i]) ? row + 1 : 0;
    if (row == goal.in_a_row) return exactly(static_cast<double>(points[i + 1 - row].step));
  }
  if (points.empty()) return {};
  const Point& last = points.back();
  return {.low = static_cast<double>(row > 0 ? points[points.size() - row].step : last.step + 1)};
}

// The measure of each run of the key; empty if there are none.
std::vector<Known> measure_all(const Library& library, const Key& key, const Claim& claim) {
  std::vector<Known> values;
  const auto found = library.find(key);
  if (found == library.end()) return values;
  const Beats& beats = find(key.experiment).beats;
  for (const Evidence& evidence : found->second) {
    values.push_back(measure(claim, beats, evidence));
  }
  return values;
}

std::int64_t longest(const Library& library, const Key& key) {
  std::int64_t steps = 0;
  for (const Evidence& evidence : library.at(key)) {
    if (!evidence.curve.points.empty()) {
      steps = std::max(steps, evidence.curve.points.back().step);
    }
  }
  return steps;
}

// Times from different machines cannot be compared.
bool is_comparable(const Claim& claim, const Library& library, const Key& key, const Key& other) {
  if (claim.measure != Measure::kSecondsPerStep) return true;
  std::set<std::string> machines;
  for (const Key& one : {key, other}) {
    for (const Evidence& evidence : library.at(one)) machines.insert(evidence.machine);
  }
  return machines.size() == 1;
}

Known ratio(const Known& a, const Known& b) {
  return {.low = a.low / b.high, .high = b.low > 0 ? a.high / b.low : Known{}.high};
}

// A measured value, and its words.
struct Answer {
  Known value;
  std::string words;
};

std::string from_to(const Known& range, Measure measure) {
  std::string low = paper::in_words(measure, range.low);
  if (range.exact()) return low;
  return low + " to " +
         (std::isfinite(range.high) ? paper::in_words(measure, range.high) : "not reached");
}

// A step that may never be reached, after runs of up to `steps` steps.
std::string open_step_in_words(const Known& value, std::int64_t steps) {
  const auto last = static_cast<double>(steps);
  if (value.low == 0 || value.low > last) {
    return "not within " + report::counted(steps, "step");
  }
  return "at least " + in_thousands(value.low);
}

// The range over the runs. Open-ended if a run has not reached the step; other missing values are
// ignored.
std::optional<Known> range_of(std::vector<Known> values, Measure measure) {
  const auto is_open = [](const Known& value) { return !value.exact(); };
  const bool any_open = std::erase_if(values, is_open) > 0;
  if (values.empty()) return std::nullopt;
  const auto [low, high] = std::ranges::minmax(values, {}, &Known::low);
  return Known{.low = low.low, .high = any_open && is_a_step(measure) ? Known{}.high : high.low};
}

std::string in_words(const std::vector<Known>& values, Measure measure, std::int64_t steps) {
  const Known middle = median(values);
  std::string words;
  if (std::isfinite(middle.high)) {
    words = from_to(middle, measure);
  } else if (is_a_step(measure)) {
    words = open_step_in_words(middle, steps);
  } else {
    return "training incomplete";
  }
  const std::optional<Known> range = range_of(values, measure);
  if (range && !range->exact() && *range != middle) {
    words += " (" + from_to(*range, measure) + ")";
  }
  return words;
}

std::string ratio_in_words(const Known& value, const std::string& whose) {
  const auto times = [&](double number) { return fmt::format("{:.2f} × {}", number, whose); };
  if (value.exact()) return times(value.low);
  if (value.low > 0 && std::isfinite(value.high)) {
    return fmt::format("{:.2f} to {}", value.low, times(value.high));
  }
  if (value.low > 0) return "over " + times(value.low);
  if (std::isfinite(value.high)) return "under " + times(value.high);
  return "not yet comparable";
}

// Empty if a run is missing.
std::optional<Answer> answer(const Library& library, const Key& key, const Claim& claim,
                             const Said& said) {
  const std::vector<Known> values = measure_all(library, key, claim);
  if (values.empty()) return std::nullopt;
  if (!said.against) {
    return Answer{median(values), in_words(values, claim.measure, longest(library, key))};
  }
  const auto& [experiment, model] = *said.against;
  const Key other{experiment.empty() ? key.experiment : experiment, key.variant, model};
  const std::vector<Known> others = measure_all(library, other, claim);
  if (others.empty()) return std::nullopt;
  const Known value =
      is_comparable(claim, library, key, other) ? ratio(median(values), median(others)) : Known{};
  const std::string whose = name_of(model) + (experiment.empty() ? "" : " on " + experiment);
  return Answer{value, ratio_in_words(value, whose)};
}

std::vector<std::string> variants_by_preference(const Entry& entry, const Claim& claim) {
  std::vector<std::string> variants = variants_of(entry);
  if (claim.source == "logs") {
    std::stable_partition(variants.begin(), variants.end(),
                          [](const std::string& name) { return name == kScript; });
  }
  return variants;
}

Finding not_run(const std::string& experiment, const Claim& claim, const std::string& model,
                const Said& said) {
  return {.experiment = experiment,
          .claim = claim.text,
          .model = name_of(model),
          .said = claim.source + ": " + said.words,
          .authors = kNothing,
          .ours = kNothing,
          .variant = kNothing,
          .headline = claim.headline};
}

Finding check(const Entry& entry, const Claim& claim, const std::string& model, const Said& said,
              const Library& ours, const Library& authors) {
  const std::string& name = entry.experiment.name;
  Finding finding = not_run(name, claim, model, said);
  if (is_a_step(claim.measure)) {  // the authors' curves give nothing else
    const auto theirs = answer(authors, {name, kScript, model}, claim, said);
    if (theirs) finding.authors = theirs->words;
  }
  for (const std::string& variant : variants_by_preference(entry, claim)) {
    const auto found = answer(ours, {name, variant, model}, claim, said);
    if (!found) continue;
    finding.ours = found->words;
    finding.variant = variant;
    finding.verdict = judge(found->value, said);
    break;
  }
  return finding;
}

// Uses all experiments for which both models were run and can be compared.
Finding check_everywhere(const Claim& claim, const Library& ours) {
  Finding finding = not_run("all", claim, kRwa, *claim.rwa);
  std::vector<double> ratios;
  std::set<std::string> experiments;  // in any variant
  for (const auto& [key, evidence] : ours) {
    if (key.model != kRwa || find_study(key.variant) != nullptr) continue;
    const auto found = answer(ours, key, claim, *claim.rwa);
    if (!found || !found->value.exact()) continue;
    ratios.push_back(found->value.low);
    experiments.insert(key.experiment);
  }
  if (ratios.empty()) return finding;
  const auto [low, high] = std::ranges::minmax(ratios);
  finding.ours = low == high ? fmt::format("{:.2f} × LSTM", low)
                             : fmt::format("{:.2f} to {:.2f} × LSTM", low, high);
  finding.variant = report::counted(static_cast<std::int64_t>(experiments.size()), "task");
  finding.verdict = judge(exactly(high), *claim.rwa);
  return finding;
}

std::string verdict_in_words(Mark verdict) {
  switch (verdict) {
    case Mark::kYes:
      return "yes";
    case Mark::kNo:
      return "no";
    case Mark::kOpen:
      return "open";
    case Mark::kNone:
      break;
  }
  return "not run";
}

}  // namespace

Known beaten(const Beats& beats, const Evidence& evidence) {
  return first_of(goal_of(beats, evidence.naive), evidence.curve.points);
}

Known measure(const Claim& claim, const Beats& beats, const Evidence& evidence) {
  const std::optional<Point>& final = evidence.final;
  switch (claim.measure) {
    case Measure::kBeats:
    case Measure::kLossBelow:
    case Measure::kAccuracyFrom:
      return first_of(goal_of(claim, beats, evidence.naive), evidence.curve.points);
    case Measure::kFinalLoss:
      return final ? exactly(final->loss) : Known{};
    case Measure::kFinalAccuracy:
      return final ? exactly_or_unknown(final->accuracy) : Known{};
    case Measure::kParameters:
      return exactly_or_unknown(evidence.parameters);
    case Measure::kSecondsPerStep:
      return exactly_or_unknown(evidence.seconds_per_step);
  }
  return {};
}

Known median(const std::vector<Known>& values) {
  const auto middle = [&](double Known::*side) {
    std::vector<double> numbers;
    numbers.reserve(values.size());
    for (const Known& value : values) numbers.push_back(value.*side);
    return median(std::move(numbers));
  };
  return {.low = middle(&Known::low), .high = middle(&Known::high)};
}

Mark judge(const Known& value, const Said& said) {
  const bool strict = said.against.has_value();
  const auto high_enough = [&](double number) {
    return said.at_least == 0 || (strict ? number > said.at_least : number >= said.at_least);
  };
  const auto low_enough = [&](double number) {
    return std::isinf(said.at_most) || (strict ? number < said.at_most : number <= said.at_most);
  };
  if (high_enough(value.low) && low_enough(value.high)) return Mark::kYes;
  if (!high_enough(value.high) || !low_enough(value.low)) return Mark::kNo;
  return Mark::kOpen;
}

std::vector<Finding> check_claims(const Library& ours, const Library& authors) {
  std::vector<Finding> findings;
  for (const Entry& entry : catalogue()) {
    for (const Claim& claim : entry.claims) {
      if (claim.rwa) {
        findings.push_back(check(entry, claim, kRwa, *claim.rwa, ours, authors));
      }
      if (claim.lstm) {
        findings.push_back(check(entry, claim, kLstm, *claim.lstm, ours, authors));
      }
    }
  }
  for (const Claim& claim : general_claims()) findings.push_back(check_everywhere(claim, ours));
  return findings;
}

report::Table to_table(const std::vector<Finding>& findings) {
  report::Table table{.header = {"experiment", "claim", "model", "reported", "authors' curves",
                                 "measured", "task", "reproduced"},
                      .rows = {}};
  for (const Finding& f : findings) {
    table.rows.push_back({{f.experiment},
                          {f.claim},
                          {f.model},
                          {f.said},
                          {f.authors},
                          {f.ours},
                          {f.variant},
                          {verdict_in_words(f.verdict), f.verdict}});
  }
  return table;
}

report::Table scoreboard(const std::vector<Finding>& findings) {
  report::Table table{
      .header = {"experiment", "claim", "RWA, paper", "RWA, here", "LSTM, paper", "LSTM, here"},
      .rows = {}};
  for (const Finding& f : findings) {
    if (!f.headline) continue;
    if (table.rows.empty() || table.rows.back().front().text != f.experiment) {
      table.rows.push_back({{f.experiment}, {f.claim}});
    }
    table.rows.back().push_back({f.said.substr(f.said.find(' ') + 1)});  // without "paper:"
    table.rows.back().push_back({f.ours.substr(0, f.ours.find(" (")), f.verdict});  // no range
  }
  std::erase_if(table.rows, [](const auto& row) {
    return std::ranges::all_of(row, [](const auto& cell) { return cell.mark == Mark::kNone; });
  });
  return table;
}

std::string Tally::result() const {
  return fmt::format("{} of {} claims reproduced", all.reproduced, all.judged);
}

std::string Tally::sources() const {
  return fmt::format("{} of {} in the paper, {} of {} in the authors' logs", paper.reproduced,
                     paper.judged, logs.reproduced, logs.judged);
}

std::string Tally::in_words() const {
  return fmt::format("{}{}: {}", result(), open > 0 ? fmt::format(" ({} open)", open) : "",
                     sources());
}

Tally tally(const std::vector<Finding>& findings) {
  Tally sum;
  for (const Finding& found : findings) {
    if (found.verdict == Mark::kNone) continue;
    Tally::Share& source = found.said.starts_with("paper") ? sum.paper : sum.logs;
    for (Tally::Share* share : {&sum.all, &source}) {
      ++share->judged;
      if (found.verdict == Mark::kYes) ++share->reproduced;
    }
    if (found.verdict == Mark::kOpen) ++sum.open;
  }
  return sum;
}

std::optional<Known> measured(const Library& library, const Key& key, const Claim& claim) {
  const std::vector<Known> values = measure_all(library, key, claim);
  return values.empty() ? std::nullopt : std::optional(median(values));
}

std::string measured_in_words(const Library& library, const Key& key, const Claim& claim,
                              const std::optional<Against>& against) {
  const auto found = answer(library, key, claim, {.words = "", .against = against});
  return found ? found->words : kNothing;
}

std::string beaten_in_words(const Library& library, const Key& key) {
  return measured_in_words(library, key, {.text = "", .source = "", .rwa = {}, .lstm = {}});
}

}  // namespace rwa::paper

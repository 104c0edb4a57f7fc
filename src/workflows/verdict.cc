#include "workflows/verdict.h"

#include <algorithm>
#include <cstddef>

#include <fmt/format.h>

#include "report/text.h"
#include "workflows/defaults.h"

namespace rwa::workflows {
namespace {

using Kind = MainScore::Kind;

bool is_worse(const MainScore& a, const MainScore& b) { return b.is_better_than(a); }

std::string advice(const training::Record& run) {
  const auto* task = std::get_if<datasets::FilesTask>(&run.experiment.task);
  if (task != nullptr && task->horizon > 0) {
    return "try another --season or --window, more --steps, or rwa tune";
  }
  const bool has_stem = !training::parse_stem(run.experiment.network.stem).empty();
  const std::string stem = has_stem ? "" : fmt::format("--stem {}, ", kUsualStem);
  switch (run.end) {
    case training::End::kSteps:
    case training::End::kRequest:
      return fmt::format("try {}more --steps, or rwa tune", stem);
    case training::End::kTime:
      return fmt::format("try {}a longer --time-budget, or rwa tune", stem);
    case training::End::kPatience:
      break;
  }
  return fmt::format("try {}a lower --learning-rate, or rwa tune", stem);
}

}  // namespace

bool MainScore::is_better_than(const MainScore& other) const {
  return kind == Kind::kAccuracy ? value > other.value : value < other.value;
}

bool MainScore::is_perfect() const { return value == (kind == Kind::kAccuracy ? 1 : 0); }

MainScore main_score(const Scores& scores) {
  if (scores.accuracy) return {Kind::kAccuracy, *scores.accuracy};
  if (scores.mase) return {Kind::kScaledError, *scores.mase};
  if (scores.numbers.size() == 1) return {Kind::kError, scores.numbers.front().rmse};
  return {Kind::kLoss, scores.loss, scores.unit};
}

std::string_view name_of(Kind kind) {
  if (kind == Kind::kAccuracy) return "Accuracy";
  return kind == Kind::kLoss ? "Loss" : "Error";
}

std::string in_words(const MainScore& score) {
  switch (score.kind) {
    case Kind::kAccuracy:
      return report::in_percent(score.value);
    case Kind::kScaledError:
      return "MASE " + report::in_digits(score.value);
    case Kind::kError:
      return "RMSE " + report::in_digits(score.value);
    case Kind::kLoss:
      break;
  }
  return fmt::format("{} {}", report::in_digits(score.value), report::unit_name(score.unit));
}

const Baseline& best_of(const std::vector<Baseline>& baselines) {
  return *std::ranges::max_element(
      baselines, is_worse, [](const Baseline& baseline) { return main_score(baseline.scores); });
}

Comparison compare(const Scores& scores, const std::vector<Baseline>& baselines) {
  Comparison found{.model = main_score(scores), .baselines = {}};
  for (const auto& [name, theirs] : baselines) {
    found.baselines.push_back({name, main_score(theirs)});
  }
  return found;
}

Comparison mean_of(const std::vector<Comparison>& each) {
  Comparison mean = each.front();
  for (const Comparison& one : each) {
    mean.baselines.resize(std::min(mean.baselines.size(), one.baselines.size()));
  }
  const auto set_mean = [&](MainScore& score, const auto& score_of) {
    score.value = 0;
    for (const Comparison& one : each) {
      score.value += score_of(one).value / static_cast<double>(each.size());
    }
  };
  set_mean(mean.model, [](const Comparison& one) { return one.model; });
  for (std::size_t i = 0; i < mean.baselines.size(); ++i) {
    set_mean(mean.baselines[i].score,
             [i](const Comparison& one) { return one.baselines[i].score; });
  }
  return mean;
}

std::string remark(const Comparison& found, const training::Record& run) {
  const auto best = std::ranges::max_element(found.baselines, is_worse, &Comparison::Rival::score);
  if (best == found.baselines.end() || found.model.is_better_than(best->score)) return "";
  if (found.model.is_perfect()) return "";
  const char* article = best->name.starts_with("1-NN") ? "" : "the ";
  return fmt::format("not better than {}{} ({}): {}", article, best->name, in_words(best->score),
                     advice(run));
}

}  // namespace rwa::workflows

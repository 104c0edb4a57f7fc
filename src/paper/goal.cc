#include "paper/goal.h"

#include <optional>

#include "paper/study.h"

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
    for (const Part& part : study.parts) {
      if (part.experiment != experiment) continue;
      for (const Claim& measure : part.measures) claims.push_back(&measure);
    }
  }
  return claims;
}

}  // namespace rwa::paper

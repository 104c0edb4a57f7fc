#include "paper/thin.h"

#include <cstddef>
#include <cstdint>
#include <set>

#include "paper/catalogue.h"
#include "paper/curves.h"
#include "paper/goal.h"
#include "tasks/task.h"

namespace rwa::paper {
namespace {

using Steps = std::set<std::int64_t>;

// The largest of 1, 2, 5, 10, 20, … that is at most `limit`, or 1.
std::int64_t round_number_within(std::int64_t limit) {
  std::int64_t found = 1;
  for (std::int64_t power = 1; power <= limit; power *= 10) {
    for (const std::int64_t factor : {1, 2, 5}) {
      if (factor * power <= limit) found = factor * power;
    }
  }
  return found;
}

bool is_on_grid(std::int64_t step, std::int64_t every) {
  const std::int64_t number = step / every;
  return step % every == 0 && number % round_number_within(number / 20) == 0;
}

// The first of every row of good ones, and of others: so no two rows become one, and each begins
// where it did.
void keep_way_to(const Goal& goal, const std::vector<Point>& points, Steps& kept) {
  std::size_t row = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const bool was_good = row > 0;
    row = goal.is_good(points[i]) ? row + 1 : 0;
    if (i == 0 || was_good != (row > 0)) kept.insert(points[i].step);
    if (row < goal.in_a_row) continue;
    for (std::size_t k = i + 1 - row; k <= i; ++k) kept.insert(points[k].step);
    return;
  }
}

Steps steps_to_keep(const training::Experiment& experiment, const std::vector<Point>& points) {
  Steps kept;
  for (const Point& point : points) {
    if (is_on_grid(point.step, experiment.evaluation.every)) kept.insert(point.step);
  }
  if (!points.empty()) kept.insert(points.back().step);
  const Beats& beats = find(experiment.name).beats;
  const datasets::Naive naive = tasks::facts(experiment.task).naive;
  keep_way_to(goal_of(beats, naive), points, kept);
  for (const Claim* claim : claims_on(experiment.name)) {
    if (is_a_step(claim->measure)) keep_way_to(goal_of(*claim, beats, naive), points, kept);
  }
  return kept;
}

}  // namespace

std::vector<training::Metric> thin(const training::Record& run) {
  const Steps kept = steps_to_keep(run.experiment, curve_of(run).points);
  std::vector<training::Metric> metrics;
  for (const training::Metric& metric : run.metrics) {
    if (metric.split == "final" || (metric.split == "test" && kept.contains(metric.step))) {
      metrics.push_back(metric);
    }
  }
  return metrics;
}

}  // namespace rwa::paper

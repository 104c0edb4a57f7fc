// src/paper/goal.h: what a run has to reach for the claims about steps.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>
#include <vector>

#include "datasets/dataset.h"
#include "paper/catalogue.h"
#include "paper/curves.h"

namespace rwa::paper {

// Reached at the first of so many evaluations in a row that are good.
struct Goal {
  std::size_t in_a_row = 1;
  std::function<bool(const Point&)> is_good;
};

// Whether a claim is about the step at which something is reached.
bool is_a_step(Measure measure);

Goal goal_of(const Beats& beats, const datasets::Naive& naive);
// Of a claim about a step.
Goal goal_of(const Claim& claim, const Beats& beats, const datasets::Naive& naive);

// The claims that runs of an experiment are measured for: its own, those of others that compare
// theirs with it, and the measures of studies.
std::vector<const Claim*> claims_on(std::string_view experiment);

}  // namespace rwa::paper

// src/workflows/tune.h: a search for good settings within a time. Candidates are drawn from a space that
// docs/own-data.md describes; all get a part of the time, the better third of them goes on with another
// part, and so on: successive halving (Jamieson and Talwalkar 2016), by thirds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "datasets/dataset.h"
#include "workflows/plan.h"

namespace rwa::workflows {

inline constexpr int kThird = 3;

// Candidate 0 has no wishes of its own: the defaults are hard to beat in a short time. The others are a
// function of seed and number. What `fixed` says is left alone.
Wishes candidate(const Wishes& fixed, const datasets::Shape& shape, std::uint64_t seed, int number);

// "lstm, 64 units, learning rate 0.0031", of a completed experiment.
std::string in_words(const training::Experiment& experiment);

// How many of `candidates` go on after each round, the first included: 9, 3, 1.
std::vector<int> rounds(int candidates);

// The lowest loss in validation so far; nothing before the first.
std::optional<double> best_in_validation(const std::filesystem::path& folder);

}  // namespace rwa::workflows

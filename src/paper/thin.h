// src/paper/thin.h: the metrics of a long run, thinned without a claim being judged otherwise.
#pragma once

#include <vector>

#include "training/run_folder.h"
#include "training/metrics.h"

namespace rwa::paper {

// Every evaluation whose number is a multiple of the largest of 1, 2, 5, 10, 20, … that is at most
// a twentieth of it; on the way to each claim's goal (goal.h) those with which good ones or others
// begin, and those that reach it; the last one and the final score. No training losses.
//
// So runs of any length have the evaluations that are drawn in common, and to thin twice is to thin
// once. Throws ConfigError for an experiment that is not in the catalogue.
std::vector<training::Metric> thin(const training::Record& run);

}  // namespace rwa::paper

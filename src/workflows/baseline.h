// src/workflows/baseline.h: the baselines of a training: predictions that need no network, fitted
// to the training data and scored on the data that the model is scored on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "datasets/files.h"
#include "formats/sequence.h"
#include "workflows/score.h"

namespace rwa::workflows {

struct Baseline {
  std::string name;  // "majority class"; "1-NN on 2,000 training sequences" if it is fitted to few
  Scores scores;
};

// The most multiplications that a baseline may take: one to two seconds.
inline constexpr double kBaselineWork = 4e9;

// The first ignores the sequence: the majority class, the mean, or the last value for the next step
// of numbers. Forecasts have the last value, the seasonal naive forecast if there is a season, and
// the weighted mean of simple forecasts that the network corrects. With one target per sequence a
// second one follows: the nearest neighbour for classes and labels of numbers, else a linear model.
// It is fitted to as many training sequences as `work` allows, and left out if these are too few.
// Throws InputError if the samples have no targets.
std::vector<Baseline> score_baselines(const datasets::Files& files, datasets::Split split,
                                      double work = kBaselineWork);
// The same for `count` samples of other data in the encoding of the files.
std::vector<Baseline> score_baselines(const datasets::Files& files, const SampleSource& next,
                                      std::int64_t count, double work = kBaselineWork);

// tables() of the scores, the first with a column for each baseline (baseline_text.cc).
std::vector<ScoreTable> tables(const Scores& scores, const std::vector<Baseline>& baselines,
                               std::size_t most_confused = 20);
// A list of the objects of the scores, each with a "name".
std::string to_json(const std::vector<Baseline>& baselines);

// A baseline that looks at the sequence.
struct FittedBaseline {
  std::string name;
  // Sets the outputs for a scaled() sequence, as a network has them.
  std::function<void(const formats::Sequence& sequence, std::vector<float>& outputs)> predict;
};
// Reads a training sequence, scaled().
formats::Sequence training_sequence(const datasets::Files& files, std::int64_t number);

// Euclidean distances of sequences with as many steps as the median training sequence, at most 256;
// others are resampled (baseline_nearest.cc). For `scored` sequences. Empty if that takes more than
// `work`.
std::optional<FittedBaseline> fit_nearest(const datasets::Files& files, std::int64_t scored,
                                          double work);
// Ridge regression on the frequencies of n-grams of symbols, or on summaries of each feature
// (baseline_linear.cc). Empty if it takes more than `work`.
std::optional<FittedBaseline> fit_linear(const datasets::Files& files, std::int64_t scored,
                                         double work);

// Evenly spaced numbers of training samples, as many as `most` allows. Empty if they are too few to
// stand for the others.
std::vector<std::int64_t> evenly_spaced(std::int64_t samples, double most);
// "1-NN", or "1-NN on 2,000 training sequences" if not all are used.
std::string name_with_count(const std::string& name, std::int64_t used, std::int64_t samples);

}  // namespace rwa::workflows

// src/workflows/score.h: scores predictions against targets, for `rwa evaluate` and training
// reports, and formats the scores as tables and JSON.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "report/table.h"
#include "workflows/predict.h"

namespace rwa::workflows {

// Scores of one class or label. A ratio with denominator 0 is 0.
struct LabelScore {
  std::string name;
  std::int64_t support = 0;    // number of times it is true
  std::int64_t predicted = 0;  // number of times it is predicted
  double precision = 0, recall = 0, f1 = 0;
};

// Scores of one number, in its own unit.
struct NumberScore {
  std::string name;
  double rmse = 0, mae = 0;
  std::optional<double> r2 = {};  // absent if the target is constant
  // Evenly spaced predictions for figures, not all if there are many.
  struct Shown {
    float truth = 0, prediction = 0;
  };
  std::vector<Shown> shown = {};
};

// Scores of the forecasts of one feature, in its own unit.
struct ForecastScore {
  std::string name;
  double mae = 0, rmse = 0;
  double smape = 0;  // the mean of |error| / ((|truth| + |forecast|) / 2), 0…2
  // The mean absolute error in units of the mean change from season to season (from step to step
  // without a season) in the known part of each series: 1 is the error of a seasonal naive forecast
  // of one season there.
  double mase = 0;
  // The share of the numbers in their intervals, and the mean width of these. Absent without
  // intervals.
  std::optional<double> coverage = {}, width = {};
};

// Scores of a step ahead, over all features.
struct StepScore {
  int ahead = 0;  // from 1
  double mase = 0;
  std::optional<double> coverage = {};
};

// Predictions of similar confidence, and the fraction of them that is correct.
struct ConfidenceBin {
  double from = 0, to = 0;
  std::int64_t answers = 0;
  double confidence = 0, accuracy = 0;
};

// Sequences of similar length.
struct LengthBin {
  int shortest = 0, longest = 0;
  std::int64_t sequences = 0;
  double loss = 0;
  std::optional<double> accuracy = {};
};

// A sequence with a high loss; for per-step models also its step with the highest loss.
struct HardExample {
  std::int64_t number = 0;  // of the sequence among those scored, from 0
  std::string id = {};
  int from = 0, step = 0;  // as in RowKey
  std::string truth = {}, prediction = {};
  double loss = 0;  // of the sequence
};

// All losses are those of training: bits, the squared error of standardised numbers, or the pinball
// loss of relative ones.
struct Scores {
  std::int64_t sequences = 0, answers = 0;
  double loss = 0;
  std::string unit;
  // The fraction of correct predictions. For multi-label, each label of a sequence counts.
  std::optional<double> accuracy = {};
  std::optional<double> subset_accuracy = {};  // multi-label: sequences with all labels correct
  std::optional<double> macro_f1 = {};         // the mean over classes that are predicted or true
  std::optional<double> micro_f1 = {};         // multi-label: over all labels together
  std::optional<double> matthews = {};         // two classes: Matthews correlation, -1…1
  // Forecasts: means over the features.
  std::optional<double> mase = {}, smape = {}, coverage = {};
  std::vector<LabelScore> labels = {};
  // [truth][prediction]; empty for more than kMostConfused classes.
  static constexpr std::size_t kMostConfused = 1024;
  std::vector<std::vector<std::int64_t>> confusion = {};
  std::vector<NumberScore> numbers = {};
  std::vector<ForecastScore> forecasts = {};
  std::vector<StepScore> steps_ahead = {};
  std::vector<float> window_errors = {};  // of forecasts: the MASE of each window
  std::vector<ConfidenceBin> calibration = {};
  std::optional<double> calibration_error = {};  // the mean of |confidence - accuracy|
  std::vector<LengthBin> lengths = {};
  std::vector<HardExample> hardest = {};  // the hardest first
};

class ScoreAccumulator {
 public:
  explicit ScoreAccumulator(const datasets::Encoding& encoding);
  ~ScoreAccumulator();

  // Adds a sequence with its target, and the outputs of the network as LogitsConsumer receives
  // them.
  void add(const Sample& sample, std::span<const float> logits);
  // Throws InputError if there was no target.
  [[nodiscard]] Scores finish() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Throws InputError if no sequence has a target, or none of several labels.
Scores score(const Trained& trained, const SampleSource& next, const PredictOptions& options);

struct ScoreTable {
  std::string title;
  report::Table table;
};

// All tables that have rows. Leaves out a confusion matrix of more than `most_confused` classes,
// which would be wider than a screen.
std::vector<ScoreTable> tables(const Scores& scores, std::size_t most_confused = 20);
// One object, with only the keys that apply to the task.
std::string to_json(const Scores& scores);

}  // namespace rwa::workflows

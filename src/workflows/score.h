// src/workflows/score.h: how well a model predicts, as `rwa evaluate` and the report of a training
// show it: the scores, and these as tables, text and JSON.
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

// One class or label. A share of nothing is 0.
struct LabelScore {
  std::string name;
  std::int64_t support = 0;    // times it is true
  std::int64_t predicted = 0;  // times it is predicted
  double precision = 0, recall = 0, f1 = 0;
};

// One number, in its own unit.
struct NumberScore {
  std::string name;
  double rmse = 0, mae = 0;
  std::optional<double> r2 = {};  // not where the truth is always the same
};

// Predictions of which the model is about equally sure; and how many of them are right.
struct ConfidenceBin {
  double from = 0, to = 0;
  std::int64_t answers = 0;
  double confidence = 0, accuracy = 0;
};

// Sequences of about equal length.
struct LengthBin {
  int shortest = 0, longest = 0;
  std::int64_t sequences = 0;
  double loss = 0;
  std::optional<double> accuracy = {};
};

// A sequence with a high loss; of answers to every step, the step with the highest.
struct HardExample {
  std::string id = {};
  int from = 0, step = 0;  // as in RowKey
  std::string truth = {}, prediction = {};
  double loss = 0;  // of the sequence
};

// All losses are in the unit of training: bits, or the squared error of standardised numbers.
struct Scores {
  std::int64_t sequences = 0, answers = 0;
  double loss = 0;
  std::string unit;
  // The share of right answers; of labels, every yes and no counts.
  std::optional<double> accuracy = {};
  std::optional<double> subset_accuracy = {};  // of labels: the share of sequences with all right
  std::optional<double> macro_f1 = {};         // the mean over those that are predicted or true
  std::optional<double> micro_f1 = {};         // of labels: of all together
  std::optional<double> matthews = {};         // of two classes: their correlation, -1…1
  std::vector<LabelScore> labels = {};
  // [truth][prediction]; none where there are more than kMostConfused classes.
  static constexpr std::size_t kMostConfused = 1024;
  std::vector<std::vector<std::int64_t>> confusion = {};
  std::vector<NumberScore> numbers = {};
  std::vector<ConfidenceBin> calibration = {};
  std::optional<double> calibration_error = {};  // the mean of |confidence - accuracy|
  std::vector<LengthBin> lengths = {};
  std::vector<HardExample> hardest = {};  // the hardest first
};

class ScoreAccumulator {
 public:
  explicit ScoreAccumulator(const datasets::Encoding& encoding);
  ~ScoreAccumulator();

  // A sequence with its answer, and the outputs of the network, as LogitsConsumer receives them.
  void add(const Sample& sample, std::span<const float> logits);
  // Throws InputError if there was no answer.
  [[nodiscard]] Scores finish() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

Scores score(const Trained& trained, const SampleSource& next, const PredictOptions& options);

struct ScoreTable {
  std::string title;
  report::Table table;
};

// All tables with rows; no confusion matrix of more than `most_confused` classes, which would be
// wider than a screen.
std::vector<ScoreTable> tables(const Scores& scores, std::size_t most_confused = 20);
std::string to_text(const Scores& scores);
// One object, without the keys that do not belong to the task.
std::string to_json(const Scores& scores);

}  // namespace rwa::workflows

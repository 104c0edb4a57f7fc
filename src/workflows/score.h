// src/workflows/score.h: how well a model answers: what `rwa evaluate` and the report of a training say.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "workflows/answers.h"
#include "workflows/predict.h"

namespace rwa::workflows {

// One class or label. A share of nothing is 0.
struct LabelScore {
  std::string name;
  std::int64_t support = 0;    // how often it is the truth
  std::int64_t predicted = 0;  // how often the model says it
  double precision = 0, recall = 0, f1 = 0;
};

// One number, in its own unit.
struct NumberScore {
  std::string name;
  double rmse = 0, mae = 0;
  std::optional<double> r2 = {};  // not where the truth is always the same
};

// Answers of which the model is about equally sure; and how many of them are right.
struct SureBin {
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

// A sequence that the model finds hard: of answers to every step, the hardest of these.
struct HardExample {
  std::string id = {};
  int from = 0, step = 0;  // as Place
  std::string truth = {}, prediction = {};
  double loss = 0;  // of the sequence
};

// All losses in the unit of training: bits, or the squared error of numbers made normal.
struct Scores {
  std::int64_t sequences = 0, answers = 0;
  double loss = 0;
  std::string unit;
  // Of answers that are right; of labels, every yes and no counts.
  std::optional<double> accuracy = {};
  std::optional<double> subset_accuracy = {};  // of labels: all of them are right
  std::optional<double> macro_f1 = {};         // the mean over those that are said or true
  std::optional<double> micro_f1 = {};         // of labels: of all together
  std::optional<double> matthews = {};         // of two classes: their correlation, -1…1
  std::vector<LabelScore> labels = {};
  // [truth][prediction]; none where there are more than kMostConfused classes.
  static constexpr std::size_t kMostConfused = 1024;
  std::vector<std::vector<std::int64_t>> confusion = {};
  std::vector<NumberScore> numbers = {};
  std::vector<SureBin> calibration = {};
  std::optional<double> calibration_error = {};  // the mean of |confidence - accuracy|
  std::vector<LengthBin> lengths = {};
  std::vector<HardExample> hardest = {};  // the hardest first
};

class Scorer {
 public:
  explicit Scorer(const datasets::Encoding& encoding);
  ~Scorer();

  // A sequence with its answer, and what the network said, as See gets it.
  void see(const Sample& sample, std::span<const float> logits);
  // Throws InputError where no answer has been seen.
  [[nodiscard]] Scores finish() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

Scores score(const Trained& trained, const Samples& next, const PredictOptions& options);

}  // namespace rwa::workflows

// src/workflows/verdict.h: compares a model with its baselines by the score that matters most.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "training/run_folder.h"
#include "workflows/baseline.h"
#include "workflows/score.h"

namespace rwa::workflows {

// The accuracy, the scaled error of forecasts, the error of a single number in its own unit, or
// else the loss.
struct MainScore {
  enum class Kind { kAccuracy, kScaledError, kError, kLoss };
  Kind kind = Kind::kLoss;
  double value = 0;
  std::string unit = {};  // of the loss

  [[nodiscard]] bool is_better_than(const MainScore& other) const;
  [[nodiscard]] bool is_perfect() const;
};
MainScore main_score(const Scores& scores);
std::string_view name_of(MainScore::Kind kind);  // "Accuracy", "Error", "Loss"
std::string in_words(const MainScore& score);    // "91.3 %", "MASE 0.62", "RMSE 0.34"

// The best of the baselines, of which there must be one.
const Baseline& best_of(const std::vector<Baseline>& baselines);

// A model beside its baselines, or the means of several.
struct Comparison {
  struct Rival {
    std::string name;
    MainScore score;
  };
  MainScore model;
  std::vector<Rival> baselines;
};
Comparison compare(const Scores& scores, const std::vector<Baseline>& baselines);
// Keeps the baselines that all of them have; the names are those of the first.
Comparison mean_of(const std::vector<Comparison>& each);

// "not better than 1-NN (91.3 %): try more --steps, or rwa tune", with advice that fits the
// run. Empty if the model is better than each baseline, or perfect.
std::string remark(const Comparison& found, const training::Record& run);

}  // namespace rwa::workflows

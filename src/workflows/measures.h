// src/workflows/measures.h: the scores by which runs are compared, each with its name and digits.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "workflows/score.h"

namespace rwa::workflows {

struct Measure {
  enum class Kind { kAccuracy, kScaledError, kError, kLoss, kOther };
  Kind kind = Kind::kOther;
  std::string name;   // "accuracy, %", "RMSE of load"
  double factor = 1;  // 100 for percent
  // After the point, or four significant ones: errors in the unit of the data have any size.
  int digits = 4;
  static constexpr int kSignificant = -1;
  std::function<std::optional<double>(const Scores&)> get;  // without the factor
};

// What scores like these have. The one that matters most comes first.
std::vector<Measure> measures_of(const Scores& scores);

double mean_of(const std::vector<double>& values);
// The sample standard deviation: runs are few. 0 for one value.
double deviation_of(const std::vector<double>& values);

std::string text_of(const Measure& measure, double value);  // "—" for NaN
// "0.667 ± 0.397", or only the value of one.
std::string mean_and_deviation(const Measure& measure, const std::vector<double>& values);
// "accuracy 81.2 ± 1.3 %", "RMSE of load 0.34 ± 0.02"
std::string in_words(const Measure& measure, const std::vector<double>& values);

}  // namespace rwa::workflows

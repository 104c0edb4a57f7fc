#include "training/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "rwa/errors.h"

namespace rwa::training {
namespace {

constexpr double kReduction = 0.3;
constexpr double kLast = 0.01;  // of the first rate: what a wave ends with

double wave(double part) { return (1 + std::cos(std::numbers::pi * part)) / 2; }

}  // namespace

double learning_rate(const Training& training, std::int64_t step, std::int64_t reductions) {
  double rate = training.learning_rate;
  switch (training.schedule) {
    case Schedule::kConstant:
      break;
    case Schedule::kPlateau:
      for (std::int64_t i = 0; i < reductions; ++i) rate *= kReduction;
      break;
    case Schedule::kCosine:
      rate *= kLast +
              (1 - kLast) * wave(static_cast<double>(step) / static_cast<double>(training.steps));
      break;
  }
  return rate;
}

bool is_reduced(const Experiment& experiment, std::int64_t evaluations_without) {
  if (experiment.training.schedule != Schedule::kPlateau) return false;
  const int plateau = std::max(1, experiment.evaluation.patience / 3);
  return evaluations_without > 0 && evaluations_without % plateau == 0;
}

void check_schedule(const Experiment& experiment) {
  if (experiment.training.schedule == Schedule::kPlateau && experiment.evaluation.patience == 0) {
    throw ConfigError(
        "schedule is plateau and patience is 0, expected a patience of 1 or more: it says after "
        "how many evaluations the learning rate is reduced");
  }
}

}  // namespace rwa::training

#include "training/schedule.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "rwa/errors.h"

namespace rwa::training {
namespace {

constexpr double kReduction = 0.3;
constexpr double kLast = 0.01;  // final learning rate of the cosine, relative to the first

double wave(double part) { return (1 + std::cos(std::numbers::pi * part)) / 2; }

constexpr double kFactor = 1e4;
constexpr std::int64_t kSteps = 10;

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
        "schedule is plateau and patience is 0, expected a patience of 1 or more, which sets when "
        "the "
        "learning rate is reduced: use --schedule cosine, or a --patience above 0");
  }
}

void Best::see(std::int64_t step_now, double loss_now, std::span<const float> weights_now) {
  if (is_known() && !(loss_now < loss)) {
    ++evaluations_without;
    return;
  }
  loss = loss_now;
  step = step_now;
  evaluations_without = 0;
  weights.assign(weights_now.begin(), weights_now.end());
}

double LossRule::limit() const { return kFactor * std::max(1.0, first); }

void LossRule::see(std::int64_t step, double loss) {
  if (step == 1) first = loss;
  above = loss > limit() ? above + 1 : 0;
  if (above < kSteps) return;
  throw DivergenceError(
      fmt::format("training diverged at step {}: the loss has been above {:.4g} for {} steps in a "
                  "row and is now {:.4g} (at the first step: {:.4g})",
                  step, limit(), kSteps, loss, first));
}

}  // namespace rwa::training

#include "training/loss_rule.h"

#include <algorithm>

#include <fmt/format.h>

#include "rwa/errors.h"

namespace rwa::training {
namespace {
constexpr double kFactor = 1e4;
constexpr std::int64_t kSteps = 10;
}  // namespace

double LossRule::limit() const { return kFactor * std::max(1.0, first); }

void LossRule::see(std::int64_t step, double loss) {
  if (step == 1) first = loss;
  above = loss > limit() ? above + 1 : 0;
  if (above < kSteps) return;
  throw DivergenceError(
      fmt::format("training diverged at step {}: the loss has been above {:.4g} for {} steps in a "
                  "row and is {:.4g} now (the first step's was {:.4g})",
                  step, limit(), kSteps, loss, first));
}

}  // namespace rwa::training

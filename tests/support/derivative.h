// tests/support/derivative.h: numerical derivatives, to check gradients.
#pragma once

namespace rwa {

// The derivative of value() by `at` from four values; the error is of fourth order in the step.
template <class Value>
double derivative(Value&& value, double& at) {
  constexpr double kStep = 5e-4;
  const double centre = at;
  const auto difference = [&](double step) {
    at = centre + step;
    const double above = value();
    at = centre - step;
    const double below = value();
    at = centre;
    return (above - below) / (2 * step);
  };
  return (4 * difference(kStep) - difference(2 * kStep)) / 3;
}

}  // namespace rwa

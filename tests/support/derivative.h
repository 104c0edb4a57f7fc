// tests/support/derivative.h: numerical derivatives, to check gradients.
#pragma once

namespace rwa {

// The derivative of value() by `at` from four values; the error is of fourth order in the step.
template <class Value>
double derivative(Value&& value, double& at, double step = 5e-4) {
  const double centre = at;
  const auto difference = [&](double width) {
    at = centre + width;
    const double above = value();
    at = centre - width;
    const double below = value();
    at = centre;
    return (above - below) / (2 * width);
  };
  return (4 * difference(step) - difference(2 * step)) / 3;
}

}  // namespace rwa

// tests/training/intervals_test.cc: scaled intervals hold their share of the numbers that they were
// scaled for, and medians stay.
#include "training/intervals.h"

#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

namespace rwa::training {
namespace {

using Floats = std::vector<float>;

// Numbers 1 to 10 against intervals from -1 to 2 around 0, and the same below 0.
IntervalFit ten(float sign) {
  IntervalFit fit;
  for (int i = 1; i <= 10; ++i) {
    const float target = sign * static_cast<float>(i);
    fit.add(Floats{-1, 0, 2}, Floats{target, target, target});
  }
  return fit;
}

TEST(Intervals, HoldTheirShare) {
  constexpr double kMany = 1e9;
  EXPECT_NEAR(ten(1).factor(0.8, kMany), 4.5, 1e-6);  // nine tenths, on the safe side
  EXPECT_NEAR(ten(-1).factor(0.75, kMany), 8, 1e-6);
  EXPECT_NEAR(ten(1).factor(0.5, 10), 3, 1e-6) << "wider for few samples";
  EXPECT_EQ(IntervalFit().factor(0.8, 1), 1);
}

TEST(Intervals, OnTheWrongSideOfTheMedianAreNoRatio) {
  IntervalFit fit;
  fit.add(Floats{1, 0, -1}, Floats{3, 3, 3});
  EXPECT_EQ(fit.factor(0.8, 1), 20);
}

TEST(Intervals, AreScaledInTheOutputLayer) {
  Model model({.inputs = 1, .units = 3, .outputs = 6, .loss = Loss::kPinball});
  for (const Parameter& parameter : model.parameters()) {  // biases of 0 would show nothing
    if (parameter.name == "output.bias")
      model.set_parameter(parameter.name, Floats{1, 2, 4, 0, 5, 6});
  }
  const Floats x = {0.5F, -1, 2};
  const auto outputs = [&] {
    Floats y(6);
    Session(model).run({.x = x, .steps = 3, .batch = 1}, y);
    return y;
  };
  const Floats before = outputs();
  scale_intervals(3, model);
  const Floats after = outputs();
  for (std::size_t i = 0; i < 6; i += 3) {
    EXPECT_NEAR(after[i + 1], before[i + 1], 1e-6);
    EXPECT_NEAR(after[i] - after[i + 1], 3 * (before[i] - before[i + 1]), 1e-5);
    EXPECT_NEAR(after[i + 2] - after[i + 1], 3 * (before[i + 2] - before[i + 1]), 1e-5);
  }
}

}  // namespace
}  // namespace rwa::training

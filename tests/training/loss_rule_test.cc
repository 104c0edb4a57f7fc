#include "training/schedule.h"

#include <gtest/gtest.h>

#include "io/io_testing.h"
#include "rwa/errors.h"

namespace rwa::training {
namespace {

void see(LossRule& rule, std::int64_t from, std::int64_t to, double loss) {
  for (std::int64_t step = from; step <= to; ++step) rule.see(step, loss);
}

TEST(LossRule, TenStepsInARowAreLost) {
  LossRule rule;
  rule.see(1, 0.5);
  see(rule, 2, 10, 10'001);
  EXPECT_TRUE(rule.is_counting());
  io::expect_error<DivergenceError>([&] { rule.see(11, 10'001); },
                                    {"step 11", "1e+04", "10 steps", "first step: 0.5"});
}

TEST(LossRule, NineAreNot) {
  LossRule rule;
  rule.see(1, 0.5);
  for (std::int64_t round = 0; round < 5; ++round) {
    see(rule, 10 * round + 2, 10 * round + 10, 10'001);
    rule.see(10 * round + 11, 10'000);  // at the limit, not above it
    EXPECT_FALSE(rule.is_counting());
  }
}

TEST(LossRule, ALargeFirstLossRaisesTheLimit) {
  LossRule rule;
  rule.see(1, 3);
  see(rule, 2, 50, 30'000);
  EXPECT_FALSE(rule.is_counting());
  rule.see(51, 30'001);
  EXPECT_TRUE(rule.is_counting());
}

}  // namespace
}  // namespace rwa::training

// tests/report/text_test.cc: numbers formatted for readers.
#include "report/text.h"

#include <limits>

#include <gtest/gtest.h>

namespace rwa::report {
namespace {

TEST(Numbers, HaveAsManyDigitsAsPeopleRead) {
  EXPECT_EQ(in_thousands(-1'234'567), "-1,234,567");
  EXPECT_EQ(in_thousands(999), "999");
  EXPECT_EQ(counted(1, "step"), "1 step");
  EXPECT_EQ(counted(2'000, "step"), "2,000 steps");
  EXPECT_EQ(counted(7, 2'000, "step"), "7 to 2,000 steps");
  EXPECT_EQ(counted(144, 144, "step"), "144 steps");
  EXPECT_EQ(in_percent(0.98123), "98.1 %");
  EXPECT_EQ(in_percent(0.98123, 2), "98.12 %");
  EXPECT_EQ(in_digits(0.17549), "0.175");
  EXPECT_EQ(in_digits(0.17549, 4), "0.1755");
  EXPECT_EQ(in_digits(2e-6), "2e-06");
}

TEST(Numbers, TimesHaveTwoUnits) {
  EXPECT_EQ(in_time(-1), "under 1s");
  EXPECT_EQ(in_time(0.4), "under 1s");
  EXPECT_EQ(in_time(0.6), "1s");
  EXPECT_EQ(in_time(45.4), "45s");
  EXPECT_EQ(in_time(245), "4m05s");
  EXPECT_EQ(in_time(7'800), "2h10m");
  EXPECT_EQ(in_time(273'600), "3d04h");
  EXPECT_EQ(in_time(std::numeric_limits<double>::infinity()), "over 1000 days");
}

}  // namespace
}  // namespace rwa::report

// tests/formats/time_test.cc: times of all forms become numbers that order them.
#include "formats/time.h"

#include <optional>

#include <gtest/gtest.h>

namespace rwa::formats {
namespace {

constexpr double kDay = 86400;

std::optional<double> days(std::string_view text, TimeForm form) {
  const auto seconds = parse_time(text, form);
  if (!seconds) return {};
  return *seconds / kDay;
}

TEST(Time, IsCountedFrom1970InUtc) {
  EXPECT_EQ(days("1970-01-01", TimeForm::kDate), 0);
  EXPECT_EQ(days("1969-12-31", TimeForm::kDate), -1);
  EXPECT_EQ(days("2000/3/1", TimeForm::kDate), 11017);
  EXPECT_EQ(days("1970-01-02T12:00", TimeForm::kDate), 1.5);
  EXPECT_EQ(parse_time("1970-01-01 00:00:01.25Z", TimeForm::kDate), 1.25);
  EXPECT_EQ(parse_time("1970-01-01T01:00:00+01:00", TimeForm::kDate), 0);
  EXPECT_EQ(parse_time("1970-01-01 01:00-0130", TimeForm::kDate), 9000);
  EXPECT_EQ(parse_time("1970-01-01 00:00:10 UTC", TimeForm::kDate), 10);
  EXPECT_EQ(parse_time("1970-01-01 12:00:05 AM", TimeForm::kDate), 5);
}

TEST(Time, HasOtherForms) {
  EXPECT_EQ(days("02.01.1970", TimeForm::kDayFirst), 1);
  EXPECT_EQ(days("2/1/1970 12:00", TimeForm::kDayFirst), 1.5);
  EXPECT_EQ(days("2-Jan-1970", TimeForm::kDayFirst), 1);
  EXPECT_EQ(days("2 January 1970", TimeForm::kDayFirst), 1);
  EXPECT_EQ(days("1/2/1970", TimeForm::kMonthFirst), 1);
  EXPECT_EQ(days("1970-02", TimeForm::kMonth), 31);
  EXPECT_EQ(days("Feb 1970", TimeForm::kMonth), 31);
  EXPECT_EQ(days("february-1970", TimeForm::kMonth), 31);
  for (const char* text : {"1970 Q2", "1970Q2", "1970-Q2", "Q2 1970", "1970:q2"}) {
    EXPECT_EQ(days(text, TimeForm::kQuarter), 90) << text;
  }
  EXPECT_EQ(parse_time("12:30", TimeForm::kTimeOfDay), 45000);
  EXPECT_EQ(parse_time("01.00.05", TimeForm::kTimeOfDay), 3605);
  EXPECT_EQ(parse_time("1:30:00.5 PM", TimeForm::kTimeOfDay), 48600.5);
  EXPECT_EQ(parse_time(" 1600000000.5 ", TimeForm::kNumber), 1600000000.5);
}

TEST(Time, IsNothingElse) {
  for (const char* text : {"", "1970", "1970-13-01", "1970-02-30", "1970-01-01x", "1970-01-01 25",
                           "1970-01-01 10:61", "70-01-01", "x1970-01-01", "1970-01-01T"}) {
    EXPECT_FALSE(parse_time(text, TimeForm::kDate)) << text;
  }
  EXPECT_FALSE(parse_time("31.13.1970", TimeForm::kDayFirst));
  EXPECT_FALSE(parse_time("1.Foo.1970", TimeForm::kDayFirst));
  EXPECT_FALSE(parse_time("13/1/1970", TimeForm::kMonthFirst));
  EXPECT_FALSE(parse_time("Marathon 1970", TimeForm::kMonth));
  EXPECT_FALSE(parse_time("1970-1", TimeForm::kMonth));
  EXPECT_FALSE(parse_time("1970-01-01 24:30", TimeForm::kDate));
  EXPECT_FALSE(parse_time("1970-00", TimeForm::kMonth));
  EXPECT_FALSE(parse_time("1970-01-01", TimeForm::kMonth));
  EXPECT_FALSE(parse_time("1970 Q5", TimeForm::kQuarter));
  EXPECT_FALSE(parse_time("1970 Q12", TimeForm::kQuarter));
  EXPECT_FALSE(parse_time("12", TimeForm::kTimeOfDay));
  EXPECT_FALSE(parse_time("25:00", TimeForm::kTimeOfDay));
  EXPECT_FALSE(parse_time("nan", TimeForm::kNumber));
  EXPECT_FALSE(parse_time("inf", TimeForm::kNumber));
  EXPECT_FALSE(parse_time("1e999", TimeForm::kNumber));
}

}  // namespace
}  // namespace rwa::formats

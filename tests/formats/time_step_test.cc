// tests/formats/time_step_test.cc: the times of a series go on as they were.
#include "formats/time_step.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace rwa::formats {
namespace {

struct Case {
  TimeForm form;
  std::vector<const char*> times;
  int months;
  double length;
  std::vector<std::string> next;
};

std::vector<double> parsed(const Case& one) {
  std::vector<double> times;
  for (const char* time : one.times) times.push_back(parse_time(time, one.form).value());
  return times;
}

TEST(TimeStep, IsFoundAndGoesOn) {
  constexpr double kDay = 86400;
  const Case cases[] = {
      {TimeForm::kMonth, {"1960-10", "1960-11", "1960-12"}, 1, 0, {"1961-01", "1961-02"}},
      {TimeForm::kQuarter, {"2019 Q3", "2019 Q4"}, 3, 0, {"2020 Q1", "2020 Q2"}},
      {TimeForm::kDate, {"2020-02-27", "2020-02-28"}, 0, kDay, {"2020-02-29", "2020-03-01"}},
      {TimeForm::kDate, {"2019-11-30", "2019-12-31"}, 1, 0, {"2020-01-31", "2020-02-29"}},
      {TimeForm::kDate, {"2019-11-15", "2019-12-15"}, 1, 0, {"2020-01-15"}},
      {TimeForm::kDate, {"2019-12-28", "2020-01-28", "2020-02-28"}, 1, 0, {"2020-03-28"}},
      {TimeForm::kDate, {"2019-01-30", "2019-02-28"}, 1, 0, {"2019-03-30", "2019-04-30"}},
      {TimeForm::kDate, {"2018-02-28", "2019-02-28"}, 12, 0, {"2020-02-29", "2021-02-28"}},
      {TimeForm::kDate,
       {"2020-01-01 22:00", "2020-01-01 23:00"},
       0,
       3600,
       {"2020-01-02", "2020-01-02 01:00"}},
      {TimeForm::kDayFirst, {"30.12.2020", "31.12.2020"}, 0, kDay, {"2021-01-01"}},
      {TimeForm::kNumber, {"1933", "1934"}, 0, 1, {"1935", "1936"}},
      {TimeForm::kNumber, {"0", "0.5", "1.5", "2"}, 0, 0.5, {"2.5"}},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(one.times.front());
    const std::vector<double> times = parsed(one);
    const auto step = find_time_step(times, one.form);
    ASSERT_TRUE(step);
    EXPECT_EQ(step->months, one.months);
    EXPECT_EQ(step->length, one.length);
    for (int i = 0; i < std::ssize(one.next); ++i) {
      EXPECT_EQ(format_time(later(times.back(), *step, i + 1), one.form),
                one.next[static_cast<std::size_t>(i)]);
    }
  }
}

TEST(TimeStep, NumbersTimes) {
  const auto number = [](const char* text, const TimeStep& step) {
    return number_of(*parse_time(text, TimeForm::kDate), step);
  };
  EXPECT_EQ(number("2020-03-31", {.months = 1}) - number("2019-01-31", {.months = 1}), 14);
  EXPECT_EQ(number("2020-03-31", {.months = 3}) - number("2019-03-31", {.months = 3}), 4);
  EXPECT_EQ(number("2020-03-01", {.length = 86400}) - number("2020-02-01", {.length = 86400}), 29);
}

TEST(TimeStep, NeedsTwoTimes) {
  EXPECT_FALSE(find_time_step({}, TimeForm::kDate));
  EXPECT_FALSE(find_time_step(std::vector{5.0}, TimeForm::kMonth));
  EXPECT_FALSE(find_time_step(std::vector{5.0, 5.0}, TimeForm::kNumber));
}

TEST(TimeStep, RepeatsAndGapsAreFound) {
  std::vector<double> times;
  for (const char* text : {"2020-01-01", "2020-02-01", "2020-03-01", "2020-03-01", "2020-05-01",
                           "2020-08-01", "2020-08-01"}) {
    times.push_back(*parse_time(text, TimeForm::kDate));
  }
  const auto [repeats, gaps] = find_irregularities(times, {.months = 1});
  EXPECT_EQ(gaps.count, 2);
  EXPECT_EQ(repeats.count, 2);
  EXPECT_EQ(format_time(gaps.first, TimeForm::kDate), "2020-03-01");
  EXPECT_EQ(format_time(repeats.first, TimeForm::kDate), "2020-03-01");
  EXPECT_EQ(find_irregularities(std::vector{0.0, 1.0, 2.4, 2.5}, {.length = 1}).gaps.count, 0);
}

TEST(TimeStep, HasTheNamesOfTsfFiles) {
  EXPECT_EQ(named_time_step("yearly"), (TimeStep{.months = 12}));
  EXPECT_EQ(named_time_step("half_hourly"), (TimeStep{.length = 1800}));
  EXPECT_EQ(named_time_step("10_minutes"), (TimeStep{.length = 600}));
  EXPECT_EQ(named_time_step("4_seconds"), (TimeStep{.length = 4}));
  for (const char* name : {"", "often", "_minutes", "-1_seconds", "10_hours"}) {
    EXPECT_FALSE(named_time_step(name)) << name;
  }
}

}  // namespace
}  // namespace rwa::formats

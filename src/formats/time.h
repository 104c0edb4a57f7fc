// src/formats/time.h: times as tables write them.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace rwa::formats {

enum class TimeForm {
  kNumber,      // a count, or seconds since 1970
  kDate,        // 2020-01-31 or 2020/01/31
  kDayFirst,    // 31.01.2020, 31/01/2020, 31-Jan-2020
  kMonthFirst,  // 01/31/2020
  kMonth,       // 2020-01, Jan 2020
  kQuarter,     // 2020 Q1, 2020Q1, Q1 2020
  kTimeOfDay,   // 12:30, 12:30:15.5, 1:30 PM, 12.30.15
};

// Returns a time as a number that orders times: seconds since 1970 in UTC, or of the day, or the
// number itself.
// After a date, a time of day may follow (T12:30, 12:30:15.5, 1:30 PM) and a time zone (Z, +01:00,
// UTC), without which it is UTC. Empty for anything else.
std::optional<double> parse_time(std::string_view text, TimeForm form);

// "dates", for messages and files.
std::string_view to_string(TimeForm form);
TimeForm parse_time_form(std::string_view name);
inline void from_name(std::string_view name, TimeForm& value) { value = parse_time_form(name); }

// A date as the number that parse_time() returns for it.
double time_of(std::chrono::year_month_day date);
// Writes a time: dates as 2020-01-31, with the time of day unless it is midnight; months as
// 2020-01, quarters as 2020 Q1; numbers with the fewest digits.
std::string format_time(double time, TimeForm form);

}  // namespace rwa::formats

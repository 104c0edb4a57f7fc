// src/formats/time_step.h: the distance between the times of a series, by which they go on.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "formats/time.h"

namespace rwa::formats {

struct TimeStep {
  int months = 0;     // months of the calendar, or
  double length = 0;  // seconds, or numbers
  int day = 0;        // of months: the day, 31 for the last one; 0: that of the time before

  friend bool operator==(const TimeStep&, const TimeStep&) = default;
};

// The most common distance of consecutive times. Empty if there are none, or all are equal.
std::optional<TimeStep> find_time_step(std::span<const double> times, TimeForm form);

// Consecutive times that are equal, or more than a step and a half apart.
struct Irregular {
  std::int64_t count = 0;
  double first = 0;  // the time before the first of them
};
struct Irregularities {
  Irregular repeats, gaps;
};
Irregularities find_irregularities(std::span<const double> times, const TimeStep& step);

// The number of a time, counted in steps from a fixed one.
std::int64_t number_of(double time, const TimeStep& step);

// The time that is `count` steps later. Days that a month lacks become its last one.
double later(double time, const TimeStep& step, int count);

// The step that .tsf files call "monthly" or "10_minutes". Empty for unknown names.
std::optional<TimeStep> named_time_step(std::string_view name);

// "months", "quarters", "years", "days", "hours" or "steps", for messages.
std::string_view unit_of(const std::optional<TimeStep>& step, TimeForm form);

}  // namespace rwa::formats

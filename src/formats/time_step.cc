#include "formats/time_step.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <map>
#include <system_error>

namespace rwa::formats {
namespace {

using namespace std::chrono;

constexpr double kMinute = 60, kHour = 3600, kDay = 86400;

bool is_date(TimeForm form) { return form != TimeForm::kNumber && form != TimeForm::kTimeOfDay; }

double day_of(double time) { return std::floor(time / kDay); }

year_month_day date_of(double time) {
  return year_month_day(sys_days(days(static_cast<std::int64_t>(day_of(time)))));
}

int months_of(double time) {
  const year_month_day date = date_of(time);
  return 12 * int{date.year()} + static_cast<int>(unsigned{date.month()});
}

int day_of_month(double time) { return static_cast<int>(unsigned{date_of(time).day()}); }

int last_of_month(double time) {
  const year_month_day date = date_of(time);
  return static_cast<int>(unsigned{(date.year() / date.month() / last).day()});
}

// The day of the month that all are on, as far as it has this day, at the same time of day; 31 for
// the last one. Empty if they are on several.
std::optional<int> common_day(std::span<const double> times) {
  const auto on_all = [&](int day) {
    return std::ranges::all_of(times, [&](double time) {
      return day_of_month(time) == std::min(day, last_of_month(time));
    });
  };
  constexpr int kLast = 31;
  int most = 0;
  for (const double time : times) {
    if (time - kDay * day_of(time) != times[0] - kDay * day_of(times[0])) return {};
    most = std::max(most, day_of_month(time));
  }
  if (on_all(kLast)) return kLast;
  return on_all(most) ? std::optional(most) : std::nullopt;
}

// The most common positive difference; 0 if there is none.
template <class Of>
double most_common_step(std::span<const double> times, Of of) {
  std::map<double, int> counts;
  for (std::size_t i = 1; i < times.size(); ++i) {
    const double step = of(times[i]) - of(times[i - 1]);
    if (step > 0) ++counts[step];
  }
  const auto most =
      std::ranges::max_element(counts, {}, [](const auto& entry) { return entry.second; });
  return most == counts.end() ? 0 : most->first;
}

}  // namespace

std::optional<TimeStep> find_time_step(std::span<const double> times, TimeForm form) {
  if (const auto day = is_date(form) ? common_day(times) : std::nullopt) {
    const double months = most_common_step(times, months_of);
    if (months > 0) return TimeStep{.months = static_cast<int>(months), .day = *day};
  }
  const double length = most_common_step(times, [](double time) { return time; });
  if (length == 0) return {};
  return TimeStep{.length = length};
}

Irregularities find_irregularities(std::span<const double> times, const TimeStep& step) {
  constexpr double kMost = 1.5;
  Irregularities found;
  const auto count = [](Irregular& kind, double before) {
    if (kind.count++ == 0) kind.first = before;
  };
  for (std::size_t i = 1; i < times.size(); ++i) {
    const double before = times[i - 1];
    if (times[i] == before) count(found.repeats, before);
    if (times[i] - before > kMost * (later(before, step, 1) - before)) count(found.gaps, before);
  }
  return found;
}

std::int64_t number_of(double time, const TimeStep& step) {
  if (step.months > 0) return months_of(time) / step.months;
  return std::llround(time / step.length);
}

double later(double time, const TimeStep& step, int count) {
  if (step.months == 0) return time + count * step.length;
  const year_month_day date = date_of(time);
  const year_month month = year_month(date.year(), date.month()) + months(count * step.months);
  const day wanted = step.day > 0 ? day(static_cast<unsigned>(step.day)) : date.day();
  const day on = std::min(wanted, (month / last).day());
  return time_of(month / on) + time - kDay * day_of(time);
}

std::optional<TimeStep> named_time_step(std::string_view name) {
  constexpr int kYear = 12, kQuarter = 3;
  if (name == "yearly") return TimeStep{.months = kYear};
  if (name == "quarterly") return TimeStep{.months = kQuarter};
  if (name == "monthly") return TimeStep{.months = 1};
  if (name == "weekly") return TimeStep{.length = 7 * kDay};
  if (name == "daily") return TimeStep{.length = kDay};
  if (name == "hourly") return TimeStep{.length = kHour};
  if (name == "half_hourly") return TimeStep{.length = kHour / 2};
  if (name == "minutely") return TimeStep{.length = kMinute};
  double count = 0;  // "10_minutes", "4_seconds"
  const char* const end = name.data() + name.size();
  const auto [rest, error] = std::from_chars(name.data(), end, count);
  if (error != std::errc() || count <= 0) return {};
  const std::string_view unit(rest, static_cast<std::size_t>(end - rest));
  if (unit == "_minutes") return TimeStep{.length = count * kMinute};
  if (unit == "_seconds") return TimeStep{.length = count};
  return {};
}

std::string_view unit_of(const std::optional<TimeStep>& step, TimeForm form) {
  if (!step || !is_date(form)) return "steps";
  if (step->months == 1) return "months";
  if (step->months == 3) return "quarters";
  if (step->months == 12) return "years";
  if (step->length == kDay) return "days";
  if (step->length == kHour) return "hours";
  return "steps";
}

}  // namespace rwa::formats

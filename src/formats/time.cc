#include "formats/time.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdint>

#include <fmt/format.h>

#include "base/names.h"
#include "formats/parse.h"

namespace rwa::formats {
namespace {
constexpr double kMinute = 60, kHour = 3600, kDay = 86400;

constexpr Names<TimeForm, 7> kForms{{{TimeForm::kNumber, "numbers"},
                                     {TimeForm::kDate, "dates"},
                                     {TimeForm::kDayFirst, "dates, day first"},
                                     {TimeForm::kMonthFirst, "dates, month first"},
                                     {TimeForm::kMonth, "months"},
                                     {TimeForm::kQuarter, "quarters"},
                                     {TimeForm::kTimeOfDay, "times of day"}}};

constexpr std::array<std::string_view, 12> kMonths{"january",   "february", "march",    "april",
                                                   "may",       "june",     "july",     "august",
                                                   "september", "october",  "november", "december"};

// Takes pieces off the front of a text; once a piece is not there, the text is not a time.
class Pieces {
 public:
  explicit Pieces(std::string_view text) : rest_(trimmed(text)) {}

  [[nodiscard]] bool is_at_end() const { return ok_ && rest_.empty(); }
  [[nodiscard]] bool is_at_letter() const {
    return !rest_.empty() && std::isalpha(static_cast<unsigned char>(rest_.front())) != 0;
  }
  bool take(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool take_word(std::string_view word) {
    if (!same_letters(rest_.substr(0, word.size()), word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  // Takes one of the characters and returns it; 0 if none is there.
  char take_any(std::string_view characters) {
    if (rest_.empty() || characters.find(rest_.front()) == characters.npos) return 0;
    const char c = rest_.front();
    rest_.remove_prefix(1);
    return c;
  }
  void take_blanks() { rest_ = trimmed(rest_); }
  // Takes a number of `least` to `most` digits.
  int number(std::size_t least, std::size_t most) {
    std::size_t size = 0;
    while (size < std::min(most, rest_.size()) &&
           std::isdigit(static_cast<unsigned char>(rest_[size]))) {
      ++size;
    }
    int value = 0;
    std::from_chars(rest_.data(), rest_.data() + size, value);
    ok_ = ok_ && size >= least;
    rest_.remove_prefix(size);
    return value;
  }
  // Takes ".25".
  double fraction() {
    if (take_any(".,") == 0) return 0;
    const std::size_t before = rest_.size();
    const double digits = number(1, 9);
    const double value = digits / std::pow(10.0, static_cast<double>(before - rest_.size()));
    while (!rest_.empty() && std::isdigit(static_cast<unsigned char>(rest_.front()))) {
      rest_.remove_prefix(1);
    }
    return value;
  }
  // Takes the English name of a month, in full or abbreviated: Sep, Sept, September. Returns 1 to
  // 12.
  int month_name() {
    std::size_t size = 0;
    while (size < rest_.size() && std::isalpha(static_cast<unsigned char>(rest_[size]))) ++size;
    const std::string_view word = rest_.substr(0, size);
    for (std::size_t i = 0; i < kMonths.size(); ++i) {
      const std::string_view name = kMonths[i];
      const bool is_abbreviation = size == 3 || (size == 4 && name == "september");
      if (size != name.size() && !is_abbreviation) continue;
      if (!same_letters(word, name.substr(0, size))) continue;
      rest_.remove_prefix(size);
      return static_cast<int>(i) + 1;
    }
    ok_ = false;
    return 0;
  }
  void expect(bool there) { ok_ = ok_ && there; }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

double seconds_of(int year, int month, int day, Pieces& pieces) {
  using namespace std::chrono;
  const year_month_day date{std::chrono::year{year},
                            std::chrono::month{static_cast<unsigned>(month)},
                            std::chrono::day{static_cast<unsigned>(day)}};
  pieces.expect(date.ok());
  return date.ok() ? time_of(date) : 0;
}

// Takes a time zone. Returns its distance from UTC in seconds.
double zone(Pieces& pieces) {
  pieces.take_blanks();
  if (pieces.take_any("Zz") != 0 || pieces.take_word("UTC") || pieces.take_word("GMT")) return 0;
  const char sign = pieces.take_any("+-");
  if (sign == 0) return 0;
  const int hours = pieces.number(2, 2);
  pieces.take(':');
  const int minutes = pieces.is_at_end() ? 0 : pieces.number(2, 2);
  pieces.expect(hours < 24 && minutes < 60);
  return (sign == '-' ? -1 : 1) * (hours * kHour + minutes * kMinute);
}

// Takes hours, minutes and seconds. Returns seconds.
double clock_time(Pieces& pieces) {
  int hour = pieces.number(1, 2);
  const char mark = pieces.take_any(":.");
  const int minute = pieces.number(2, 2);
  const bool has_seconds = mark != 0 && pieces.take(mark);
  const double second = has_seconds ? pieces.number(2, 2) + pieces.fraction() : 0;
  const bool is_midnight = hour == 24 && minute == 0 && second == 0;
  pieces.expect(mark != 0 && (hour < 24 || is_midnight) && minute < 60 && second < 61);
  pieces.take_blanks();
  if (const bool afternoon = pieces.take_word("pm"); afternoon || pieces.take_word("am")) {
    pieces.expect(hour >= 1 && hour <= 12);
    hour = hour % 12 + (afternoon ? 12 : 0);
  }
  return hour * kHour + minute * kMinute + second;
}

// Takes the time of day after a date, if there is one. Returns seconds.
double time_of_day(Pieces& pieces) {
  if (pieces.is_at_end()) return 0;
  pieces.expect(pieces.take_any("Tt ") != 0);
  pieces.take_blanks();
  const double seconds = clock_time(pieces);
  return seconds - zone(pieces);
}

double date_and_time(int year, int month, int day, Pieces& pieces) {
  const double date = seconds_of(year, month, day, pieces);
  return date + time_of_day(pieces);
}

double parse_date(Pieces& pieces) {
  const int year = pieces.number(4, 4);
  const char mark = pieces.take_any("-/.");
  const int month = pieces.number(1, 2);
  pieces.expect(mark != 0 && pieces.take(mark));
  const int day = pieces.number(1, 2);
  return date_and_time(year, month, day, pieces);
}

double parse_day_first(Pieces& pieces) {
  const int day = pieces.number(1, 2);
  const char mark = pieces.take_any("./- ");
  const int month = pieces.is_at_letter() ? pieces.month_name() : pieces.number(1, 2);
  pieces.expect(mark != 0 && pieces.take(mark));
  const int year = pieces.number(4, 4);
  return date_and_time(year, month, day, pieces);
}

double parse_month_first(Pieces& pieces) {
  const int month = pieces.number(1, 2);
  pieces.expect(pieces.take('/'));
  const int day = pieces.number(1, 2);
  pieces.expect(pieces.take('/'));
  const int year = pieces.number(4, 4);
  return date_and_time(year, month, day, pieces);
}

double parse_month(Pieces& pieces) {
  if (pieces.is_at_letter()) {
    const int month = pieces.month_name();
    pieces.expect(pieces.take_any("- ") != 0);
    return seconds_of(pieces.number(4, 4), month, 1, pieces);
  }
  const int year = pieces.number(4, 4);
  pieces.expect(pieces.take_any("-/") != 0);
  return seconds_of(year, pieces.number(2, 2), 1, pieces);
}

int quarter_of(Pieces& pieces) {
  pieces.expect(pieces.take_any("Qq") != 0);
  const int quarter = pieces.number(1, 1);
  pieces.expect(quarter >= 1 && quarter <= 4);
  return quarter;
}

double parse_quarter(Pieces& pieces) {
  int year = 0, quarter = 1;
  if (pieces.is_at_letter()) {
    quarter = quarter_of(pieces);
    pieces.expect(pieces.take_any(" -") != 0);
    year = pieces.number(4, 4);
  } else {
    year = pieces.number(4, 4);
    pieces.take_any(" -:");
    quarter = quarter_of(pieces);
  }
  return pieces.is_at_end() ? seconds_of(year, 3 * quarter - 2, 1, pieces) : 0;
}

double parse_calendar(Pieces& pieces, TimeForm form) {
  switch (form) {
    case TimeForm::kDayFirst:
      return parse_day_first(pieces);
    case TimeForm::kMonthFirst:
      return parse_month_first(pieces);
    case TimeForm::kMonth:
      return parse_month(pieces);
    case TimeForm::kQuarter:
      return parse_quarter(pieces);
    case TimeForm::kTimeOfDay:
      return clock_time(pieces);
    default:
      return parse_date(pieces);
  }
}

std::optional<double> parse_count_of_time(std::string_view text) {
  text = trimmed(text);
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return {};
  return value;
}
}  // namespace

std::optional<double> parse_time(std::string_view text, TimeForm form) {
  if (form == TimeForm::kNumber) return parse_count_of_time(text);
  Pieces pieces(text);
  const double seconds = parse_calendar(pieces, form);
  return pieces.is_at_end() ? std::optional(seconds) : std::nullopt;
}

std::string_view to_string(TimeForm form) { return name_of(kForms, "form of time", form); }
TimeForm parse_time_form(std::string_view name) { return parse_name(kForms, "form of time", name); }

double time_of(std::chrono::year_month_day date) {
  return kDay * static_cast<double>(std::chrono::sys_days(date).time_since_epoch().count());
}

std::string format_time(double time, TimeForm form) {
  if (form == TimeForm::kNumber || form == TimeForm::kTimeOfDay) return fmt::format("{}", time);
  const double days = std::floor(time / kDay);
  const std::chrono::year_month_day date{
      std::chrono::sys_days(std::chrono::days(static_cast<std::int64_t>(days)))};
  const int year{date.year()};
  const unsigned month{date.month()};
  if (form == TimeForm::kMonth) return fmt::format("{:04}-{:02}", year, month);
  if (form == TimeForm::kQuarter) return fmt::format("{:04} Q{}", year, (month + 2) / 3);
  std::string day = fmt::format("{:04}-{:02}-{:02}", year, month, unsigned{date.day()});
  const auto seconds = static_cast<int>(std::floor(time - days * kDay));
  if (seconds == 0) return day;
  const std::string minute = fmt::format("{} {:02}:{:02}", day, seconds / 3600, seconds / 60 % 60);
  return seconds % 60 == 0 ? minute : fmt::format("{}:{:02}", minute, seconds % 60);
}

}  // namespace rwa::formats

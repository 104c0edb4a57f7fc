#include "report/numbers.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report/text.h"

namespace rwa::report {

std::string in_thousands(std::int64_t number) { return with_thousands(fmt::format("{}", number)); }

std::string in_percent(double share, int decimals) {
  return fmt::format("{:.{}f} %", 100 * share, decimals);
}

std::string in_digits(double number, int digits) { return fmt::format("{:.{}g}", number, digits); }

std::string in_time(double seconds) {
  constexpr double kTooLong = 1000.0 * 24 * 3600;
  if (!(seconds < kTooLong)) return "over 1000 days";
  const auto s = std::llround(std::max(seconds, 0.0));
  if (s < 60) return fmt::format("{}s", s);
  if (s < 3600) return fmt::format("{}m{:02}s", s / 60, s % 60);
  if (s < 24 * 3600) return fmt::format("{}h{:02}m", s / 3600, s / 60 % 60);
  return fmt::format("{}d{:02}h", s / (24 * 3600), s / 3600 % 24);
}

}  // namespace rwa::report

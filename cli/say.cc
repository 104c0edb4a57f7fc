#include "say.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <iterator>
#include <system_error>

#include <fmt/format.h>

#include "paper/words.h"
#include "report/text.h"
#include "training/settings.h"

namespace rwa::cli {
namespace {

// The seconds in the unit that the text begins with; 0 if there is no known unit.
double seconds_in_unit(std::string_view text) {
  if (text.empty()) return 0;
  switch (text.front()) {
    case 's':
      return 1;
    case 'm':
      return 60;
    case 'h':
      return 3600;
    case 'd':
      return 24 * 3600;
    default:
      return 0;
  }
}

}  // namespace

std::string count(std::int64_t number) { return paper::in_thousands(static_cast<double>(number)); }

std::string duration(double seconds) { return paper::in_time(seconds); }

std::optional<double> parse_duration(std::string_view text) {
  constexpr double kLongest = training::kMostDays * 24 * 3600.0;
  double seconds = 0;
  for (std::string_view rest = text; !rest.empty();) {
    double number = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
    if (error != std::errc{} || !(number >= 0)) return std::nullopt;
    // A number alone is seconds. "1h30" is refused: its 30 probably means minutes.
    const bool is_alone = end - text.data() == std::ssize(text) && rest.size() == text.size();
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    const double unit = is_alone ? 1 : seconds_in_unit(rest);
    if (unit == 0) return std::nullopt;
    rest.remove_prefix(std::min<std::size_t>(rest.size(), 1));
    seconds += number * unit;
  }
  return seconds > 0 && seconds <= kLongest ? std::optional(seconds) : std::nullopt;
}

std::string loss(const training::Metric& metric) {
  return paper::in_digits(metric.loss) + " " + report::unit_name(metric.unit);
}

std::string score(const training::Metric& metric) {
  return metric.accuracy ? paper::in_percent(*metric.accuracy) : loss(metric);
}

std::string title(const training::Experiment& experiment) {
  return fmt::format("{} {} seed {}", paper::with_variant(experiment.name, experiment.variant),
                     training::model_name(experiment), experiment.seed);
}

}  // namespace rwa::cli

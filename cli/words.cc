#include "words.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "paper/words.h"

namespace rwa::cli {

std::string count(std::int64_t number) { return paper::in_thousands(static_cast<double>(number)); }

std::string duration(double seconds) {
  constexpr double kTooLong = 1000.0 * 24 * 3600;
  if (!(seconds < kTooLong)) return "over 1000 days";
  const auto s = std::llround(std::max(seconds, 0.0));
  if (s < 60) return fmt::format("{}s", s);
  if (s < 3600) return fmt::format("{}m{:02}s", s / 60, s % 60);
  if (s < 24 * 3600) return fmt::format("{}h{:02}m", s / 3600, s / 60 % 60);
  return fmt::format("{}d{:02}h", s / (24 * 3600), s / 3600 % 24);
}

std::string loss(const run::Metric& metric) {
  return paper::in_digits(metric.loss) + " " + metric.unit;
}

std::string score(const run::Metric& metric) {
  return metric.accuracy ? paper::in_percent(*metric.accuracy) : loss(metric);
}

std::string title(const run::Experiment& experiment) {
  return fmt::format("{} {} seed {}", paper::with_variant(experiment.name, experiment.variant),
                     to_string(experiment.network.cell), experiment.seed);
}

}  // namespace rwa::cli

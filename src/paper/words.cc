#include "paper/words.h"

#include <cmath>

#include <fmt/format.h>

#include "report/text.h"

namespace rwa::paper {

std::string in_thousands(double number) {
  return report::with_thousands(fmt::format("{:.0f}", number));
}

std::string in_percent(double fraction, int decimals) {
  return fmt::format("{:.{}f} %", 100 * fraction, decimals);
}

std::string in_digits(double number) { return fmt::format("{:.3g}", number); }

std::string in_words(Measure measure, double value) {
  switch (measure) {
    case Measure::kBeats:
    case Measure::kLossBelow:
    case Measure::kAccuracyFrom:
    case Measure::kParameters:
      return in_thousands(value);
    case Measure::kFinalAccuracy:
      return in_percent(value);
    case Measure::kSecondsPerStep:
      return in_digits(1000 * value) + " ms";
    case Measure::kFinalLoss:
      break;
  }
  return in_digits(value);
}

std::string name_of(Cell cell) { return cell == Cell::kRwa ? "RWA" : "LSTM"; }

std::string id_of(const run::Experiment& experiment) {
  const bool text = experiment.variant == kText;
  return text ? experiment.name : experiment.name + "-" + experiment.variant;
}

std::string with_variant(const std::string& title, const std::string& variant) {
  return variant == kText ? title : title + " (" + variant + ")";
}

}  // namespace rwa::paper

#include "paper/words.h"

#include <algorithm>
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

std::string in_time(double seconds) {
  constexpr double kTooLong = 1000.0 * 24 * 3600;
  if (!(seconds < kTooLong)) return "over 1000 days";
  const auto s = std::llround(std::max(seconds, 0.0));
  if (s < 60) return fmt::format("{}s", s);
  if (s < 3600) return fmt::format("{}m{:02}s", s / 60, s % 60);
  if (s < 24 * 3600) return fmt::format("{}h{:02}m", s / 3600, s / 60 % 60);
  return fmt::format("{}d{:02}h", s / (24 * 3600), s / 3600 % 24);
}

std::string in_rate(double number) {
  return number < 100 ? in_digits(number) : in_thousands(number);
}

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

std::string name_of(std::string_view model) {
  if (model == to_string(Cell::kRwa)) return "RWA";
  if (model == to_string(Cell::kLstm)) return "LSTM";
  if (model == to_string(Cell::kGru)) return "GRU";
  return std::string(model);
}

std::string id_of(const run::Experiment& experiment) {
  const bool text = experiment.variant == kText;
  return text ? experiment.name : experiment.name + "-" + experiment.variant;
}

std::string with_variant(const std::string& title, const std::string& variant) {
  return variant == kText ? title : title + " (" + variant + ")";
}

std::string field_in_words(std::string_view path) {
  std::string words(path.substr(path.rfind('.') + 1));
  std::ranges::replace(words, '_', ' ');
  return words;
}

bool is_plain(std::string_view name) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
  };
  return !name.empty() && name[0] != '.' && std::ranges::all_of(name, fits);
}

std::string no_folder(std::string_view name) {
  return fmt::format(
      "the name '{}' cannot be that of a folder, expected letters, digits, hyphens, underscores "
      "and dots, and no dot first",
      name);
}

}  // namespace rwa::paper

#include "paper/words.h"

#include <algorithm>

#include <fmt/format.h>

#include "report/text.h"
#include "rwa/cells.h"

namespace rwa::paper {

std::string in_thousands(double number) {
  return report::with_thousands(fmt::format("{:.0f}", number));
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
  for (const Cell cell : all_cells()) {
    if (model == to_string(cell)) return std::string(cell_info(cell).title);
  }
  return std::string(model);
}

std::string id_of(const training::Experiment& experiment) {
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
      "the name '{}' cannot be used for a folder, expected letters, digits, hyphens, underscores "
      "and dots, and no dot first",
      name);
}

}  // namespace rwa::paper

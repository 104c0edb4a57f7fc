#include "export/torch_module_data.h"

#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace rwa::exports {
namespace {

using formats::Target;

// A text as Python writes it; JSON escapes the same characters in the same way.
std::string quoted(const std::string& text) { return nlohmann::json(text).dump(); }

std::vector<std::string> quoted(const std::vector<std::string>& texts) {
  std::vector<std::string> all;
  for (const std::string& text : texts) all.push_back(quoted(text));
  return all;
}

std::vector<std::string> in_digits(const std::vector<double>& numbers) {
  std::vector<std::string> all;
  for (const double number : numbers) all.push_back(fmt::format("{}", number));
  return all;
}

// NAME = [a, b, …]  # what it is; in several lines where one is too long.
std::string constant(std::string_view name, const std::vector<std::string>& values,
                     std::string_view what = {}) {
  constexpr std::size_t kColumns = 100;
  std::string text = what.empty() ? std::string{} : fmt::format("# {}\n", what);
  const std::string one_line = fmt::format("{} = [{}]", name, fmt::join(values, ", "));
  if (one_line.size() <= kColumns) return text + one_line + "\n";
  text += fmt::format("{} = [", name);
  std::size_t column = kColumns;
  for (const std::string& value : values) {
    if (column + value.size() + 2 > kColumns) {
      text += "\n   ";
      column = 3;
    }
    text += " " + value + ",";
    column += value.size() + 2;
  }
  return text + "\n]\n";
}

std::string constants(const datasets::Encoding& encoding) {
  const formats::Schema& schema = encoding.schema;
  std::string text;
  if (schema.symbols) {
    text +=
        constant("ALPHABET", quoted(encoding.alphabet), "The symbols of a step, in their order.");
  } else {
    text += constant("FEATURES", quoted(schema.features),
                     "The numbers of a step; the network sees (x - MEAN) / SCALE of them.");
    text += constant("MEAN", in_digits(encoding.features.mean));
    text += constant("SCALE", in_digits(encoding.features.scale));
  }
  if (!encoding.labels.empty()) {
    text += constant("LABELS", quoted(encoding.labels), "What the outputs stand for.");
  } else if (!schema.targets.empty()) {
    text += constant("TARGETS", quoted(schema.targets),
                     "What the outputs stand for; they are (y - TARGET_MEAN) / TARGET_SCALE.");
    text += constant("TARGET_MEAN", in_digits(encoding.targets.mean));
    text += constant("TARGET_SCALE", in_digits(encoding.targets.scale));
  }
  const datasets::Widening& widening = encoding.widening;
  if (widening.context > 1)
    text += fmt::format("CONTEXT = {}  # steps seen at once\n", widening.context);
  if (widening.positions > 0) {
    text += fmt::format("POSITIONS = {}  # numbers that say where a step stands\nSPAN = {}\n",
                        widening.positions, widening.span);
  }
  text.pop_back();
  return text;
}

// Of the list of the outputs' names.
std::string names_of_outputs(const datasets::Encoding& encoding) {
  if (!encoding.labels.empty()) return "LABELS";
  if (encoding.schema.target != Target::kNone) return "TARGETS";
  return encoding.schema.symbols ? "ALPHABET" : "FEATURES";
}

}  // namespace

void fill_in_data(const datasets::Encoding& encoding, Filling& filling) {
  const formats::Schema& schema = encoding.schema;
  const datasets::Widening& widening = encoding.widening;
  const bool every = encoding.answers_every_step();
  const bool numbers = encoding.shape().loss == Loss::kSquaredError;
  const auto when = [&](const char* word, bool is_true) {
    if (is_true) filling.words.insert(word);
  };
  when("data", true);
  when("of-symbols", schema.symbols);
  when("missing", encoding.missing != datasets::Missing::kRefuse);
  when("missing-previous", encoding.missing == datasets::Missing::kPrevious);
  when("widened", widening.is_needed());
  when("functional", schema.symbols && widening.is_needed());
  when("context", widening.context > 1);
  when("positions", widening.positions > 0);
  auto& values = filling.values;
  values["constants"] = constants(encoding);
  values["names"] = names_of_outputs(encoding);
  values["answer"] = schema.target == Target::kNone ? "" : "TARGET_";
  values["answer_type"] = every ? "list[dict[str, float]]" : "dict[str, float]";
  values["answers"] =
      fmt::format("{} of {}{}", numbers ? "The numbers" : "The probabilities", values["names"],
                  schema.target == Target::kNone ? " at the step after each"
                  : every                        ? " at each step"
                                                 : "");
  values["sequence_type"] = schema.symbols ? "list[str] | str" : "list[list[float]]";
  values["steps_are"] = schema.symbols ? "symbols" : "rows of FEATURES";
  values["one"] = every ? "[:, 0]" : "[0]";
}

}  // namespace rwa::exports

#include "workflows/explain_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>
#include <span>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "report/text.h"
#include "workflows/predict.h"

namespace rwa::workflows {
namespace {

constexpr std::size_t kTopSteps = 5;
constexpr std::size_t kMostColumns = 6;  // of features in a table, and of numbers in an answer
constexpr std::size_t kLineLength = 80;  // of letters in a terminal
constexpr std::size_t kMostLetters = 10 * kLineLength;

constexpr std::array<std::string_view, 9> kBars = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};

std::string bars(std::span<const float> weights, double most, double sign) {
  std::string line;
  for (const float weight : weights) {
    const double share = most > 0 ? std::clamp(sign * weight / most, 0.0, 1.0) : 0;
    line += kBars[static_cast<std::size_t>(std::lround(share * (kBars.size() - 1)))];
  }
  return line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
}

// Letters, and under each line of them how much they count; what is negative under that.
std::string with_bars(const std::vector<std::string>& letters, std::span<const float> weights) {
  double most = 0;
  for (const float weight : weights) most = std::max(most, std::abs(double{weight}));
  const std::size_t lines = (letters.size() + kLineLength - 1) / kLineLength;
  const std::size_t length = (letters.size() + lines - 1) / lines;  // about the same for all
  std::string text;
  for (std::size_t begin = 0; begin < letters.size(); begin += length) {
    const std::size_t count = std::min(length, letters.size() - begin);
    const auto part = weights.subspan(begin, count);
    for (std::size_t i = begin; i < begin + count; ++i) text += report::one_line(letters[i]);
    text += '\n' + bars(part, most, 1);
    if (std::ranges::min(part) < 0) text += bars(part, most, -1);
  }
  return text;
}

bool are_letters(const std::vector<std::string>& symbols) {
  return !symbols.empty() && symbols.size() <= kMostLetters &&
         std::ranges::all_of(symbols, [](const std::string& symbol) {
           return report::character_count(report::one_line(symbol)) == 1;
         });
}

std::string json_text(std::string_view text) {
  using Json = nlohmann::json;
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Every `stride`th number.
void append_list(std::span<const float> numbers, std::size_t stride, std::string& text) {
  text += '[';
  for (std::size_t i = 0; i < numbers.size(); i += stride) {
    if (i > 0) text += ',';
    append_number(numbers[i], text);
  }
  text += ']';
}

// Of one unit or feature.
void append_part(const Attribution& found, std::size_t number, std::string& text) {
  append_list(std::span(found.parts).subspan(number), found.width, text);
}

void append_shares(const Attribution& found, std::string& text) {
  text += ",\"shares\":";
  append_list(found.steps, 1, text);
  text += ",\"units\":[";
  for (std::size_t unit = 0; unit < found.width; ++unit) {
    if (unit > 0) text += ',';
    append_part(found, unit, text);
  }
  text += ']';
}

}  // namespace

ExplanationText::ExplanationText(const Trained& trained)
    : encoding_(trained.encoding), answers_(encoding_), json_(answers_, Form::kJson) {}

std::string ExplanationText::prediction(const Explanation& made) const {
  Answer answer;
  answers_.read(made.logits, answer);
  std::vector<std::string> words;
  if (answers_.loss() == Loss::kSquaredError) {
    const std::size_t count = answer.values.size();
    for (std::size_t i = 0; i < std::min(count, kMostColumns); ++i) {
      const std::string name = count > 1 ? answers_.names()[i] + " " : "";
      words.push_back(name + report::in_digits(answer.values[i], 4));
    }
    return fmt::format("{}{}", fmt::join(words, ", "), count > kMostColumns ? ", …" : "");
  }
  for (const std::size_t i : answer.chosen) {
    words.push_back(
        fmt::format("{} ({})", answers_.names()[i], report::in_percent(answer.values[i])));
  }
  return words.empty() ? "no label" : fmt::format("{}", fmt::join(words, ", "));
}

std::string ExplanationText::answer(const Explanation& made) const {
  const std::string text = "answer " + prediction(made);
  return made.truth ? text + ", truth " + *made.truth : text;
}

std::string ExplanationText::title(const Explanation& made) const {
  std::string text = made.sequence.id;
  if (made.from > 0) text += fmt::format(" from step {}", made.from);
  if (answers_.every_step()) text += ", after its last step";
  return text + ": " + answer(made);
}

std::string ExplanationText::weight(const Explanation& made, std::size_t step) const {
  const double weight = made.attribution.steps[step];
  return made.method == Method::kShares ? report::in_percent(weight, 2)
                                        : fmt::format("{:+.3g}", weight);
}

std::vector<std::string> ExplanationText::symbols(const Explanation& made) const {
  std::vector<std::string> symbols;
  for (const std::int32_t symbol : made.sequence.symbols) {
    symbols.push_back(encoding_.alphabet[static_cast<std::size_t>(symbol)]);
  }
  return symbols;
}

std::vector<double> ExplanationText::numbers(const Explanation& made, std::size_t feature) const {
  const std::size_t width = encoding_.schema.features.size();
  const datasets::Normal& normal = encoding_.features;
  std::vector<double> numbers;
  for (std::size_t i = feature; i < made.sequence.x.size(); i += width) {
    const double number = made.sequence.x[i] * normal.scale[feature] + normal.mean[feature];
    // What was 0 comes back as what a float's rounding leaves of it.
    const bool is_zero = std::abs(number) < 1e-6 * std::abs(normal.mean[feature]);
    numbers.push_back(is_zero ? 0 : number);
  }
  return numbers;
}

report::Table ExplanationText::top_steps(const Explanation& made, std::size_t count) const {
  const std::vector<float>& weights = made.attribution.steps;
  std::vector<std::size_t> order(weights.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater(),
                           [&](std::size_t i) { return std::abs(weights[i]); });
  order.resize(std::min(order.size(), count));
  report::Table table{.header = {"step", made.method == Method::kShares ? "share" : "part"},
                      .rows = {}};
  const std::vector<std::string> letters = symbols(made);
  std::vector<std::vector<double>> columns;
  if (!letters.empty()) table.header.emplace_back("symbol");
  for (std::size_t i = 0; letters.empty() && i < encoding_.schema.features.size(); ++i) {
    if (i == kMostColumns) break;
    table.header.push_back(encoding_.schema.features[i]);
    columns.push_back(numbers(made, i));
  }
  for (const std::size_t step : order) {
    auto& row = table.rows.emplace_back();
    row.push_back({report::in_thousands(step_of(made.from, step))});
    row.push_back({weight(made, step)});
    if (!letters.empty()) row.push_back({letters[step]});
    for (const auto& column : columns) row.push_back({report::in_digits(column[step], 4)});
  }
  return table;
}

std::string ExplanationText::account(const Explanation& made) const {
  if (made.method == Method::kShares) return "";
  const Attribution& found = made.attribution;
  const std::string& name = answers_.names()[made.output];
  const std::string what = answers_.loss() == Loss::kSquaredError
                               ? name
                               : fmt::format("log₂ of the probability of {}", name);
  return fmt::format(
      "{}: {} here, {} for the baseline; the steps leave {} of the difference unexplained.", what,
      report::in_digits(found.value), report::in_digits(found.baseline),
      report::in_digits(found.gap(), 2));
}

std::string ExplanationText::to_text(const Explanation& made) const {
  std::string text = report::one_line(title(made)) + '\n';
  const std::vector<std::string> letters = symbols(made);
  if (are_letters(letters)) text += with_bars(letters, made.attribution.steps);
  text += report::to_text(top_steps(made, kTopSteps));
  const std::string rest = account(made);
  return rest.empty() ? text : text + report::one_line(rest) + '\n';
}

std::string ExplanationText::to_json(const Explanation& made) {
  const Attribution& found = made.attribution;
  std::string text;
  json_.append({.id = made.sequence.id,
                .from = made.from,
                .step = answers_.every_step() ? step_of(made.from, found.steps.size() - 1) : 0},
               made.logits, text);
  text.resize(text.rfind('}'));
  if (made.truth) text += ",\"truth\":" + json_text(*made.truth);
  text += fmt::format(",\"method\":\"{}\"", workflows::to_string(made.method));
  if (made.method == Method::kShares) {
    append_shares(found, text);
    return text + "}\n";
  }
  text += fmt::format(",\"explained\":{},\"baseline\":{},\"value\":{},\"gap\":{},\"gradients\":",
                      json_text(answers_.names()[made.output]), found.baseline, found.value,
                      found.gap());
  append_list(found.steps, 1, text);
  for (std::size_t i = 0; i < found.width; ++i) {
    text += (i == 0 ? ",\"features\":{" : ",") + json_text(encoding_.schema.features[i]) + ':';
    append_part(found, i, text);
  }
  return text + (found.width > 0 ? "}}\n" : "}\n");
}

}  // namespace rwa::workflows

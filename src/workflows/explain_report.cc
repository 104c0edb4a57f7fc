#include "workflows/explain_report.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/text.h"
#include "workflows/predict.h"

namespace rwa::workflows {
namespace {

constexpr std::size_t kTopSteps = 5;
constexpr std::size_t kMostColumns = 6;  // features in a table, and numbers in a prediction
constexpr std::size_t kLineLength = 80;  // letters per line of a terminal
constexpr std::size_t kMostLetters = 10 * kLineLength;
constexpr std::size_t kMostTracks = 12;
constexpr std::size_t kMostUnits = 60;

constexpr std::array<std::string_view, 9> kBars = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};

std::string bars(std::span<const float> weights, double most, double sign) {
  std::string line;
  for (const float weight : weights) {
    const double share = most > 0 ? std::clamp(sign * weight / most, 0.0, 1.0) : 0;
    line += kBars[static_cast<std::size_t>(std::lround(share * (kBars.size() - 1)))];
  }
  return line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
}

// Lines of letters with a line of bars below each, and another for negative attributions.
std::string with_bars(const std::vector<std::string>& letters, std::span<const float> weights) {
  double most = 0;
  for (const float weight : weights) most = std::max(most, std::abs(double{weight}));
  const std::size_t lines = (letters.size() + kLineLength - 1) / kLineLength;
  const std::size_t length = (letters.size() + lines - 1) / lines;  // lines of about equal length
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

// Every `stride`th number.
void append_list(std::span<const float> numbers, std::size_t stride, std::string& text) {
  text += '[';
  for (std::size_t i = 0; i < numbers.size(); i += stride) {
    if (i > 0) text += ',';
    append_number(numbers[i], text);
  }
  text += ']';
}

// The numbers of one unit or feature.
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

// The `most` most important of 0…count-1, in decreasing order of importance.
template <class Importance>
std::vector<std::size_t> most_important(std::size_t count, std::size_t most,
                                        const Importance& importance) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater(), importance);
  order.resize(std::min(count, most));
  return order;
}

constexpr const char* kWhatSharesAre =
    "Each unit of this network ends with an average over the steps of the sequence. The share of a "
    "step is its weight in that average, here the mean over all units; the shares of a sequence "
    "add up to 1. The value that a step adds to the average also depends on the steps before it.";
constexpr const char* kWhatGradientsAre =
    "Integrated gradients attribute the change of the output, from a baseline (the mean of the "
    "training data; for symbols, no symbol) to the sequence, to the steps. Blue steps raise the "
    "explained output, orange steps lower it.";
constexpr const char* kLastAnswer =
    " The model predicts at every step; the last prediction is explained.";

// Explains shares, and what they do not show for this network.
std::string about_shares(const ModelConfig& config) {
  std::string text = kWhatSharesAre;
  if (config.layers > 1) {
    text += fmt::format(
        " These are the shares in the last of {} layers, which reads the outputs of the layers "
        "below.",
        config.layers);
  }
  if (config.bidirectional) text += " Half of the units read from the end to the beginning.";
  if (config.readout == Readout::kEvery) text += kLastAnswer;
  if (config.readout == Readout::kMean || config.readout == Readout::kAttention) {
    text +=
        " This model reads out the outputs of all steps; the shares are those after the last step.";
  }
  return text;
}

std::string about_gradients(const ModelConfig& config) {
  return std::string(kWhatGradientsAre) + (config.readout == Readout::kEvery ? kLastAnswer : "");
}

// The attributions of one unit or feature.
std::vector<double> part_of(const Attribution& found, std::size_t number) {
  std::vector<double> part;
  for (std::size_t i = number; i < found.parts.size(); i += found.width) {
    part.push_back(found.parts[i]);
  }
  return part;
}

// The weights of the output layer for one output.
std::vector<float> output_weights(const Model& model, std::size_t output) {
  for (const Parameter& parameter : model.parameters()) {
    if (parameter.name != "output.weight") continue;
    const auto width = static_cast<std::size_t>(parameter.shape.at(1));
    const auto row = parameter.values.subspan(output * width, width);
    return {row.begin(), row.end()};
  }
  return {};
}

}  // namespace

ExplanationText::ExplanationText(const Trained& trained)
    : encoding_(trained.encoding), decoder_(encoding_), json_(decoder_, RowFormat::kJson) {}

// "sales+1 452 (431 to 467), …"
std::string ExplanationText::forecast(const Prediction& prediction) const {
  constexpr std::size_t kMost = 4;
  const std::vector<float>& numbers = prediction.values;
  std::vector<std::string> words;
  for (std::size_t i = 0; i + 2 < numbers.size() && words.size() < kMost; i += 3) {
    words.push_back(fmt::format("{} {} ({} to {})", decoder_.names()[i + 1],
                                report::in_digits(numbers[i + 1]), report::in_digits(numbers[i]),
                                report::in_digits(numbers[i + 2])));
  }
  return fmt::format("{}{}", fmt::join(words, ", "), numbers.size() > 3 * kMost ? ", …" : "");
}

std::string ExplanationText::prediction(const Explanation& made) const {
  Prediction prediction;
  decoder_.decode(made.sequence, made.logits, prediction);
  if (decoder_.is_of_forecasts()) return forecast(prediction);
  std::vector<std::string> words;
  if (decoder_.is_of_numbers()) {
    const std::size_t count = prediction.values.size();
    for (std::size_t i = 0; i < std::min(count, kMostColumns); ++i) {
      const std::string name = count > 1 ? decoder_.names()[i] + " " : "";
      words.push_back(name + report::in_digits(prediction.values[i], 4));
    }
    return fmt::format("{}{}", fmt::join(words, ", "), count > kMostColumns ? ", …" : "");
  }
  for (const std::size_t i : prediction.chosen) {
    words.push_back(
        fmt::format("{} ({})", decoder_.names()[i], report::in_percent(prediction.values[i])));
  }
  return words.empty() ? "no label" : fmt::format("{}", fmt::join(words, ", "));
}

std::string ExplanationText::answer(const Explanation& made) const {
  const std::string text = "prediction " + prediction(made);
  return made.truth ? text + ", truth " + *made.truth : text;
}

std::string ExplanationText::title(const Explanation& made) const {
  std::string text = made.sequence.id;
  if (made.from > 0) text += fmt::format(" from step {}", made.from);
  if (decoder_.every_step()) text += ", after its last step";
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
  const datasets::Normal normal = encoding_.of_numbers();
  const double mean = datasets::levels_of(made.sequence.x, width)[feature].mean;
  std::vector<double> numbers;
  for (std::size_t i = feature; i < made.sequence.x.size(); i += width) {
    // Missing ones are left if each sequence is scaled by itself.
    const double found = std::isnan(made.sequence.x[i]) ? mean : made.sequence.x[i];
    const double number = found * normal.scale[feature] + normal.mean[feature];
    // Undo the rounding error of a number that was 0.
    const bool is_zero = std::abs(number) < 1e-6 * std::abs(normal.mean[feature]);
    numbers.push_back(is_zero ? 0 : number);
  }
  return numbers;
}

report::Table ExplanationText::top_steps(const Explanation& made, std::size_t count) const {
  const std::vector<float>& weights = made.attribution.steps;
  const auto order =
      most_important(weights.size(), count, [&](std::size_t i) { return std::abs(weights[i]); });
  report::Table table{.header = {"step", made.method == Method::kShares ? "share" : "attribution"},
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
  const std::string& name = decoder_.names()[made.output];
  const std::string what = decoder_.is_of_forecasts() ? name + ", relative to the simple forecasts"
                           : decoder_.is_of_numbers()
                               ? name
                               : fmt::format("log₂ of the probability of {}", name);
  return fmt::format(
      "{}: {} for this sequence, {} for the baseline; {} of the difference is unexplained.", what,
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
                .step = decoder_.every_step() ? step_of(made.from, found.steps.size() - 1) : 0},
               made.logits, text);
  text.resize(text.rfind('}'));
  if (made.truth) text += ",\"truth\":" + json_string(*made.truth);
  text += fmt::format(",\"method\":\"{}\"", workflows::to_string(made.method));
  if (made.method == Method::kShares) {
    append_shares(found, text);
    return text + "}\n";
  }
  text += fmt::format(",\"explained\":{},\"baseline\":{},\"value\":{},\"gap\":{},\"gradients\":",
                      json_string(decoder_.names()[made.output]), found.baseline, found.value,
                      found.gap());
  append_list(found.steps, 1, text);
  for (std::size_t i = 0; i < found.width; ++i) {
    text += (i == 0 ? ",\"features\":{" : ",") + json_string(encoding_.schema.features[i]) + ':';
    append_part(found, i, text);
  }
  return text + (found.width > 0 ? "}}\n" : "}\n");
}

ExplanationPage::ExplanationPage(const Trained& trained, Method method, const std::string& name)
    : trained_(trained), text_(trained) {
  const ModelConfig& config = trained.model.config();
  page_.title =
      method == Method::kShares ? "Share of each time step" : "Attribution of each time step";
  page_.subtitle = fmt::format("{}: {}, {}", name, rwa::to_string(config.cell),
                               report::counted(config.units, "unit"));
  page_.blocks.emplace_back(
      report::Text{method == Method::kShares ? about_shares(config) : about_gradients(config)});
}

void ExplanationPage::add(const Explanation& made) {
  const std::string from = made.from > 0 ? fmt::format(" from step {}", made.from) : "";
  page_.blocks.emplace_back(
      report::Heading{made.sequence.id + from, fmt::format("sequence-{}", ++count_)});
  report::Steps steps = picture(made);
  steps.title = text_.answer(made);
  page_.blocks.emplace_back(std::move(steps));
  page_.blocks.emplace_back(text_.top_steps(made, kTopSteps));
}

report::Steps ExplanationPage::picture(const Explanation& made) const {
  report::Steps picture = picture_of_steps(made);
  if (made.method == Method::kShares) add_units(made, picture);
  return picture;
}

report::Steps ExplanationPage::picture_of_steps(const Explanation& made) const {
  const std::vector<float>& weights = made.attribution.steps;
  report::Steps picture{.title = text_.title(made),
                        .caption = text_.account(made),
                        .first = step_of(made.from, 0),
                        .symbols = text_.symbols(made),
                        .weights_are = made.method == Method::kShares ? "share" : "attribution",
                        .weights = {weights.begin(), weights.end()}};
  if (picture.symbols.empty()) add_tracks(made, picture);
  return picture;
}

void ExplanationPage::add_tracks(const Explanation& made, report::Steps& picture) const {
  const std::vector<std::string>& names = trained_.encoding.schema.features;
  const Attribution& found = made.attribution;
  const bool own_parts = made.method == Method::kGradients;
  const auto importance = [&](std::size_t feature) {
    double sum = 0;
    for (std::size_t i = feature; own_parts && i < found.parts.size(); i += found.width) {
      sum += std::abs(found.parts[i]);
    }
    return sum;
  };
  auto drawn = most_important(names.size(), kMostTracks, importance);
  std::ranges::sort(drawn);
  for (const std::size_t feature : drawn) {
    picture.tracks.push_back(
        {.name = names[feature],
         .values = text_.numbers(made, feature),
         .weights = own_parts ? part_of(found, feature) : std::vector<double>{}});
  }
  if (drawn.size() < names.size()) {
    picture.caption += fmt::format("{}Shows {} of {} features: {}.",
                                   picture.caption.empty() ? "" : " ", drawn.size(), names.size(),
                                   own_parts ? "those with the largest attributions" : "the first");
  }
}

void ExplanationPage::add_units(const Explanation& made, report::Steps& picture) const {
  const Attribution& found = made.attribution;
  const std::vector<float> weights = output_weights(trained_.model, made.output);
  const auto importance = [&](std::size_t unit) { return std::abs(weights[unit]); };
  const auto drawn = most_important(found.width, kMostUnits, importance);
  for (const std::size_t unit : drawn) picture.rows.push_back(part_of(found, unit));
  picture.rows_are = "units";
  if (!picture.caption.empty()) picture.caption += ' ';
  picture.caption += fmt::format(
      "Each row of the picture is a unit ({}), ordered by its weight on the explained output. "
      "Darker means a larger share; the colour follows its square root, so that small shares "
      "remain visible.",
      drawn.size() < found.width ? fmt::format("the first {} of {}", drawn.size(), found.width)
                                 : fmt::format("all {}", found.width));
}

}  // namespace rwa::workflows

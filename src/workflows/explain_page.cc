#include "workflows/explain_page.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "report/text.h"
#include "workflows/predict.h"

namespace rwa::workflows {
namespace {

constexpr std::size_t kTopSteps = 5;
constexpr std::size_t kMostTracks = 12;
constexpr std::size_t kMostUnits = 60;

constexpr const char* kWhatSharesAre =
    "A unit of this network ends with an average over the steps of the sequence. The share of a "
    "step is "
    "its weight in that average, here the mean over all units; the shares of a sequence add up to "
    "one. What a step puts into the average also depends on the steps before it.";
constexpr const char* kWhatGradientsAre =
    "Integrated gradients: on the straight way from a baseline (the mean of the training data; for "
    "symbols, none) to the sequence, what the model says changes, and each step has a part of that "
    "change: blue speaks for what is explained, orange against it.";

// What of a network shares do not tell.
std::string about_shares(const ModelConfig& config) {
  std::string text = kWhatSharesAre;
  if (config.layers > 1) {
    text += fmt::format(
        " They are those of the last of {} layers, whose steps are what the layers below make of "
        "them.",
        config.layers);
  }
  if (config.bidirectional) text += " Half of the units read from the end to the beginning.";
  if (config.readout == Readout::kEvery) {
    text += " The model answers at every step; explained is the answer to the last one.";
  }
  if (config.readout == Readout::kMean || config.readout == Readout::kAttention) {
    text +=
        " This model reads out the outputs of all steps; the average is that after the last one.";
  }
  return text;
}

std::string about_gradients(const ModelConfig& config) {
  std::string text = kWhatGradientsAre;
  if (config.readout == Readout::kEvery) {
    text += " The model answers at every step; explained is the answer to the last one.";
  }
  return text;
}

// The numbers 0…count-1, by falling importance; the first `most` of them.
template <class Importance>
std::vector<std::size_t> most_important(std::size_t count, std::size_t most,
                                        const Importance& importance) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater(), importance);
  order.resize(std::min(count, most));
  return order;
}

// Those of one unit or feature.
std::vector<double> part_of(const Attribution& found, std::size_t number) {
  std::vector<double> part;
  for (std::size_t i = number; i < found.parts.size(); i += found.width) {
    part.push_back(found.parts[i]);
  }
  return part;
}

// Of the output layer, for one output.
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

ExplanationPage::ExplanationPage(const Trained& trained, Method method, const std::string& name)
    : trained_(trained), text_(trained) {
  const ModelConfig& config = trained.model.config();
  page_.title = "Which steps matter";
  page_.subtitle = fmt::format("{}: {}, {} units", name, rwa::to_string(config.cell), config.units);
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
  const std::vector<float>& weights = made.attribution.steps;
  report::Steps picture{.title = text_.title(made),
                        .caption = text_.account(made),
                        .first = step_of(made.from, 0),
                        .symbols = text_.symbols(made),
                        .weights_are = made.method == Method::kShares ? "share" : "part",
                        .weights = {weights.begin(), weights.end()}};
  if (picture.symbols.empty()) add_tracks(made, picture);
  if (made.method == Method::kShares) add_units(made, picture);
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
    picture.caption += fmt::format("{}Drawn are {} of {} features{}.",
                                   picture.caption.empty() ? "" : " ", drawn.size(), names.size(),
                                   own_parts ? ", those with the greatest parts" : ", the first");
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
      "Below, a line is one of {} units, {}. Colours go by the square root of the share.",
      found.width,
      drawn.size() < found.width
          ? fmt::format("{} of which are drawn: those with the greatest weights on the answer",
                        drawn.size())
          : "those with the greatest weights on the answer first");
}

}  // namespace rwa::workflows

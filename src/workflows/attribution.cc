#include "workflows/attribution.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "base/names.h"
#include "cells/traits.h"
#include "rwa/errors.h"
#include "workflows/predictions.h"

namespace rwa::workflows {
namespace {

constexpr Names<Method, 2> kMethods{
    {{Method::kShares, "shares"}, {Method::kGradients, "gradients"}}};

constexpr const char* kEmbedding = "embedding.weight";

// Points on the path from the baseline, at the midpoints of equal intervals.
constexpr int kPoints = 64;

BatchView batch_of(const formats::Sequence& sequence) {
  return {.x = sequence.x, .steps = sequence.steps, .batch = 1, .symbols = sequence.symbols};
}

class ShareAttributor : public Attributor {
 public:
  ShareAttributor(const Trained& trained, int threads)
      : encoding_(trained.encoding),
        session_(trained.model, {.threads = threads}),
        width_(static_cast<std::size_t>(trained.model.config().units) *
               (trained.model.config().bidirectional ? 2 : 1)) {}

  Attribution attribute(const formats::Sequence& sequence, std::size_t /*output*/) override {
    const auto steps = static_cast<std::size_t>(sequence.steps);
    Attribution found{.steps = std::vector<float>(steps),
                      .parts = std::vector<float>(steps * width_),
                      .width = width_};
    session_.shares(batch_of(datasets::as_seen(encoding_, sequence)), found.parts);
    for (std::size_t t = 0; t < steps; ++t) {
      const auto row = std::span(found.parts).subspan(t * width_, width_);
      found.steps[t] = static_cast<float>(std::accumulate(row.begin(), row.end(), 0.0) /
                                          static_cast<double>(width_));
    }
    return found;
  }

 private:
  const datasets::Encoding& encoding_;
  Session session_;
  std::size_t width_;
};

double softplus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }

// The explained value as a function of the outputs before softmax or sigmoid.
class ExplainedValue {
 public:
  ExplainedValue(const OutputDecoder& decoder, std::size_t output)
      : decoder_(decoder), output_(output) {}

  [[nodiscard]] double value(std::span<const float> y) const {
    const double own = y[output_];
    switch (decoder_.loss()) {
      case Loss::kSoftmax:
        return (own - log_sum_exp(y)) / std::numbers::ln2;
      case Loss::kSigmoid:
        return -softplus(-own) / std::numbers::ln2;
      case Loss::kSquaredError:
      case Loss::kPinball:
        break;
    }
    return decoder_.in_own_unit(output_, y[output_]);
  }

  // With respect to output i.
  [[nodiscard]] double slope(std::span<const float> y, std::size_t i) const {
    const bool own = i == output_;
    switch (decoder_.loss()) {
      case Loss::kSoftmax:
        return ((own ? 1 : 0) - std::exp(y[i] - log_sum_exp(y))) / std::numbers::ln2;
      case Loss::kSigmoid:
        return own ? std::exp(-softplus(y[i])) / std::numbers::ln2 : 0;
      case Loss::kSquaredError:
      case Loss::kPinball:
        break;
    }
    return own ? decoder_.scale(output_) : 0;
  }

 private:
  const OutputDecoder& decoder_;
  std::size_t output_;
};

class GradientAttributor : public Attributor {
 public:
  GradientAttributor(const Trained& trained, const AttributorOptions& options)
      : model_(trained.model),
        encoding_(trained.encoding),
        decoder_(trained.encoding),
        twin_(numbers_twin(model_)),
        session_(twin_, {.threads = options.threads, .memory = Memory::kChunked}),
        memory_(options.memory),
        inputs_(static_cast<std::size_t>(twin_.config().inputs)),
        outputs_(static_cast<std::size_t>(twin_.config().outputs)),
        unused_(twin_.parameter_count()) {}

  Attribution attribute(const formats::Sequence& sequence, std::size_t output) override;

 private:
  [[nodiscard]] int points_at_once(int steps) const;
  // Runs a batch with the rows scaled by each of these factors.
  void run(std::span<const float> rows, std::span<const float> shares);
  // Adds the part of each input to its step and its feature.
  void distribute(const std::vector<double>& parts, Attribution& found) const;
  // Sets gradient_ to that of the explained value with respect to x_.
  void differentiate(const ExplainedValue& explained);
  [[nodiscard]] BatchView batch() const {
    return {.x = x_, .steps = static_cast<int>(steps_), .batch = static_cast<int>(batch_)};
  }
  // Offset in y_ of a point's outputs: those of the last step, or the only ones.
  [[nodiscard]] std::size_t place(std::size_t point) const {
    return y_.size() - (batch_ - point) * outputs_;
  }
  [[nodiscard]] std::span<const float> outputs(std::size_t point) const {
    return std::span(y_).subspan(place(point), outputs_);
  }

  const Model& model_;
  const datasets::Encoding& encoding_;
  const OutputDecoder decoder_;
  Model twin_;
  Session session_;
  std::size_t memory_, inputs_, outputs_;
  // For the current points.
  std::size_t steps_ = 0, batch_ = 0;
  std::vector<float> x_, y_, wanted_, gradient_;
  std::vector<float> unused_;  // the gradient of the weights
};

int GradientAttributor::points_at_once(int steps) const {
  const auto bytes = [&](int count) {
    const auto rows = static_cast<std::size_t>(steps) * static_cast<std::size_t>(count);
    return training_memory(twin_.config(), steps, count, Memory::kChunked) +
           rows * 2 * (inputs_ + outputs_) * sizeof(float);
  };
  int count = kPoints;
  while (count > 1 && bytes(count) > memory_) count /= 2;
  return count;
}

void GradientAttributor::run(std::span<const float> rows, std::span<const float> shares) {
  batch_ = shares.size();
  steps_ = rows.size() / inputs_;
  x_.resize(rows.size() * batch_);
  auto x = x_.begin();
  for (std::size_t t = 0; t < steps_; ++t) {
    const auto row = rows.subspan(t * inputs_, inputs_);
    for (const float share : shares) {
      x = std::ranges::transform(row, x, [share](float number) { return share * number; }).out;
    }
  }
  const bool every = twin_.config().readout == Readout::kEvery;
  y_.resize((every ? steps_ : 1) * batch_ * outputs_);
  session_.run(batch(), y_);
}

// The loss of the twin is the mean of (y - wanted)² over all n outputs; its slopes are 2 / n times
// the differences. `wanted` is chosen so that these equal the slopes of the explained value, and 0
// for all steps except the last. They are scaled up so that the rounding error of y does not drown
// them.
void GradientAttributor::differentiate(const ExplainedValue& explained) {
  constexpr float kLarge = 1024;
  const double scale = kLarge * static_cast<double>(y_.size()) / 2;
  wanted_ = y_;
  for (std::size_t b = 0; b < batch_; ++b) {
    for (std::size_t i = 0; i < outputs_; ++i) {
      float& wanted = wanted_[place(b) + i];
      wanted = static_cast<float>(wanted - scale * explained.slope(outputs(b), i));
    }
  }
  gradient_.assign(x_.size(), 0.0F);
  session_.gradient(batch(), {.values = wanted_}, {.weights = unused_, .x = gradient_});
  for (float& slope : gradient_) slope /= kLarge;
}

// A row holds the step, the steps before it, and the position features, which belong to the step. If
// each sequence is scaled by itself, its mean and deviation count for their feature at each step.
void GradientAttributor::distribute(const std::vector<double>& parts, Attribution& found) const {
  const auto context = static_cast<std::size_t>(encoding_.widening.context);
  const auto positions = static_cast<std::size_t>(encoding_.widening.positions);
  const std::size_t width = (inputs_ - positions) / context;
  // Forecasts see features of a series in several ways.
  const bool numbers = !encoding_.schema.symbols && !encoding_.forecast.is_needed();
  const std::size_t features =
      encoding_.scale == datasets::Scale::kSequence ? encoding_.schema.features.size() : width;
  std::vector<double> steps(steps_);
  if (numbers) found.parts.resize(steps_ * features);
  found.width = numbers ? features : 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::size_t row = i / inputs_;
    const std::size_t place = i % inputs_;
    const bool is_place = place >= context * width;
    const std::size_t before = is_place ? 0 : place / width;
    if (before > row) continue;  // padding before the first step
    steps[row - before] += parts[i];
    if (numbers && !is_place) {
      const std::size_t feature = place % width % features;
      found.parts[(row - before) * features + feature] += static_cast<float>(parts[i]);
    }
  }
  found.steps.assign(steps.begin(), steps.end());
}

Attribution GradientAttributor::attribute(const formats::Sequence& sequence, std::size_t output) {
  const ExplainedValue explained(decoder_, output);
  const std::vector<float> rows = twin_rows(model_, datasets::as_seen(encoding_, sequence));
  std::vector<float> points(kPoints);
  for (std::size_t k = 0; k < kPoints; ++k) points[k] = (static_cast<float>(k) + 0.5F) / kPoints;
  std::vector<double> parts(rows.size());
  const auto at_once = static_cast<std::size_t>(points_at_once(sequence.steps));
  for (std::size_t first = 0; first < kPoints; first += at_once) {
    run(rows, std::span(points).subspan(first, at_once));
    differentiate(explained);
    for (std::size_t i = 0; i < gradient_.size(); ++i) {
      const std::size_t place = i / (batch_ * inputs_) * inputs_ + i % inputs_;
      parts[place] += double{gradient_[i]} * rows[place] / kPoints;
    }
  }
  Attribution found;
  distribute(parts, found);
  constexpr float kEnds[] = {0, 1};
  run(rows, kEnds);
  found.baseline = explained.value(outputs(0));
  found.value = explained.value(outputs(1));
  return found;
}

}  // namespace

std::string_view to_string(Method method) { return name_of(kMethods, "method", method); }
Method parse_method(std::string_view name) { return parse_name(kMethods, "method", name); }

Method default_method(const Model& model) {
  return cell_traits(model.config().cell).averages ? Method::kShares : Method::kGradients;
}

double Attribution::gap() const {
  return value - baseline - std::accumulate(steps.begin(), steps.end(), 0.0);
}

std::unique_ptr<Attributor> make_attributor(const Trained& trained, Method method,
                                            const AttributorOptions& options) {
  if (method == Method::kGradients) return std::make_unique<GradientAttributor>(trained, options);
  const Cell cell = trained.model.config().cell;
  if (!cell_traits(cell).averages) {
    throw ConfigError(
        fmt::format("the cell {} keeps no average and has no shares, expected one of {}, or the "
                    "method gradients",
                    to_string(cell), averaging_cell_names()));
  }
  return std::make_unique<ShareAttributor>(trained, options.threads);
}

Model numbers_twin(const Model& model) {
  ModelConfig config = model.config();
  config.loss = Loss::kSquaredError;
  if (config.input == Input::kSymbols) {
    config.input = Input::kNumbers;
    if (config.embedding > 0) config.inputs = config.embedding;
    config.embedding = 0;
  }
  Model twin(config);
  for (const Parameter& parameter : model.parameters()) {
    if (parameter.name != kEmbedding) twin.set_parameter(parameter.name, parameter.values);
  }
  return twin;
}

std::vector<float> twin_rows(const Model& model, const formats::Sequence& sequence) {
  const ModelConfig& config = model.config();
  if (config.input == Input::kNumbers) return sequence.x;
  const auto width =
      static_cast<std::size_t>(config.embedding > 0 ? config.embedding : config.inputs);
  std::vector<float> rows(sequence.symbols.size() * width);
  if (config.embedding == 0) {
    for (std::size_t t = 0; t < sequence.symbols.size(); ++t) {
      rows[t * width + static_cast<std::size_t>(sequence.symbols[t])] = 1;
    }
    return rows;
  }
  const auto parameters = model.parameters();
  const auto table = std::ranges::find(parameters, kEmbedding, &Parameter::name);
  for (std::size_t t = 0; t < sequence.symbols.size(); ++t) {
    const auto symbol = static_cast<std::size_t>(sequence.symbols[t]);
    std::ranges::copy(table->values.subspan(symbol * width, width),
                      rows.begin() + static_cast<std::ptrdiff_t>(t * width));
  }
  return rows;
}

}  // namespace rwa::workflows

#include "training/first_model.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

#include "model/stem_start.h"

namespace rwa::training {
namespace {
// Whether a parameter has a column for every input of the network, or several in a row.
bool sees_inputs(const ModelConfig& config, std::string_view name) {
  if (!config.stem.empty()) return name == "stem.0.weight";
  return name == "layers.0.weight_x" || name == "layers.0.reverse.weight_x";
}

// The training samples that the stem's start sees: spread over all, because files are often sorted
// by class, and few enough for their unfolded steps to fit into memory.
std::vector<datasets::Batch> samples_for(const StemSpec& stem, const datasets::Dataset& dataset) {
  constexpr std::int64_t kMostSamples = 256;
  constexpr std::int64_t kMostNumbers = std::int64_t{1} << 25;
  int widest = 1;
  for (const auto& convolution : stem.convolutions) {
    widest = std::max(widest, convolution.dense.inputs);
  }
  const auto size = dataset.size(datasets::Split::kTrain);
  auto steps_left = std::max<std::int64_t>(kMostNumbers / widest, 1);
  const auto fitting = static_cast<double>(steps_left) / std::max(dataset.shape().mean_length, 1.0);
  const auto count = std::min({size, kMostSamples, static_cast<std::int64_t>(fitting) + 1});
  std::vector<datasets::Batch> samples;
  for (std::int64_t i = 0; i < count && steps_left > 0; ++i) {
    const std::int64_t number = size * i / count;
    datasets::Batch& sample = samples.emplace_back();
    dataset.fill(datasets::Split::kTrain, {&number, 1}, sample);
    sample.steps = static_cast<int>(std::min<std::int64_t>(sample.steps, steps_left));
    steps_left -= sample.steps;
  }
  return samples;
}
void hide_unseen(std::span<const int> unseen, Model& model) {
  if (unseen.empty()) return;
  const ModelConfig config = model.config();
  const bool embedded = config.embedding > 0;  // a row for each symbol
  for (const Parameter& parameter : model.parameters()) {
    if (embedded ? parameter.name != "embedding.weight" : !sees_inputs(config, parameter.name)) {
      continue;
    }
    std::vector<float> values(parameter.values.begin(), parameter.values.end());
    const auto columns = static_cast<std::size_t>(parameter.shape.back());
    for (const int input : unseen) {
      const auto place = static_cast<std::size_t>(input);
      if (embedded) {
        std::fill_n(values.begin() + static_cast<std::ptrdiff_t>(place * columns), columns, 0.0F);
      } else {
        const auto inputs = static_cast<std::size_t>(config.inputs);
        for (std::size_t i = place; i < values.size(); i += inputs) values[i] = 0;
      }
    }
    model.set_parameter(parameter.name, values);
  }
}

void start_outputs(std::span<const float> start, Model& model) {
  if (start.empty()) return;
  const auto size = model.config().outputs;
  for (const Parameter& parameter : model.parameters()) {
    if (parameter.name != "output.weight") continue;
    model.set_parameter(parameter.name, std::vector<float>(parameter.values.size()));
  }
  model.set_parameter("output.bias", start.first(static_cast<std::size_t>(size)));
}
}  // namespace

Model first_model(const ModelConfig& config, const datasets::Shape& shape) {
  Model model(config);
  hide_unseen(shape.unseen, model);
  start_outputs(shape.start, model);
  return model;
}

void start_stem(const datasets::Dataset& dataset, Model& model) {
  const NetworkSpec spec(model.config());
  if (spec.encoder.stem.empty()) return;
  const std::vector<datasets::Batch> samples = samples_for(spec.encoder.stem, dataset);
  std::vector<Sequences<float>> sequences;
  for (const datasets::Batch& sample : samples) {
    sequences.push_back({.x = sample.x.data(),
                         .rows = {.steps = sample.steps, .batch = 1},
                         .symbols = sample.symbols.data()});
  }
  std::vector<float> weights(model.weights().begin(), model.weights().end());
  standardise_stem(spec, sequences, weights);
  model.set_weights(weights);
}

}  // namespace rwa::training

#include "model/stem_start.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "backend/device.h"

namespace rwa {
namespace {

constexpr double kLeastDeviation = 1e-5;  // a channel that deviates less is constant

struct Sample {
  Rows rows;
  std::vector<float> values;  // [T,1,width]
};

std::size_t size(int number) { return static_cast<std::size_t>(number); }

// What the first convolution sees.
std::vector<Sample> embedded(const NetworkSpec& spec, std::span<const Sequences<float>> samples,
                             const float* weights, Backend<float>& backend) {
  const int width = spec.encoder.stem.convolutions.front().width();
  std::vector<Sample> all;
  for (const Sequences<float>& in : samples) {
    Sample& sample = all.emplace_back(Sample{.rows = in.rows, .values = {}});
    const std::size_t count = in.rows.index(in.rows.steps, 0) * size(width);
    if (const auto& table = spec.encoder.embedding) {
      sample.values.resize(count);
      backend.lookup(*table, in.rows, {in.symbols}, weights + table->offset, nullptr,
                     sample.values.data());
    } else {
      sample.values.assign(in.x, in.x + count);
    }
  }
  return all;
}

// Replaces the samples by the convolution's outputs before the rectifier.
void convolve(const ConvolutionSpec& spec, const float* weights, Backend<float>& backend,
              std::vector<Sample>& samples) {
  const auto loaded = backend.make_weights(spec.dense);
  loaded->load(weights + spec.dense.offset);
  std::vector<float> unfolded;
  for (Sample& sample : samples) {
    const std::size_t rows = sample.rows.index(sample.rows.steps, 0);
    unfolded.resize(rows * size(spec.dense.inputs));
    backend.unfold(spec.width(), spec.kernel, sample.rows, nullptr, sample.values.data(),
                   unfolded.data());
    sample.values.resize(rows * size(spec.dense.outputs));
    backend.dense_forward(spec.dense, *loaded, sample.rows, unfolded.data(), sample.values.data());
  }
}

// The mean of f(value, channel) over all steps, for each channel.
template <class F>
std::vector<double> means(const std::vector<Sample>& samples, int channels, F&& f) {
  std::vector<double> sums(size(channels), 0.0);
  std::size_t steps = 0;
  for (const Sample& sample : samples) {
    steps += size(sample.rows.steps);
    for (std::size_t i = 0; i < sample.values.size(); ++i) {
      const std::size_t channel = i % sums.size();
      sums[channel] += f(sample.values[i], channel);
    }
  }
  for (double& sum : sums) sum /= static_cast<double>(std::max<std::size_t>(steps, 1));
  return sums;
}

// Standardises a channel's outputs, and the weights that gave them.
void rescale(const ConvolutionSpec& spec, std::size_t channel, double mean, double deviation,
             std::span<float> weights, std::vector<Sample>& samples) {
  const auto scaled = [&](double value, double shift) {
    return static_cast<float>((value - shift) / deviation);
  };
  const std::size_t inputs = size(spec.dense.inputs);
  for (float& weight : weights.subspan(spec.dense.offset + channel * inputs, inputs)) {
    weight = scaled(weight, 0);
  }
  float& bias = weights[spec.dense.offset + spec.dense.bias() + channel];
  bias = scaled(bias, mean);
  for (Sample& sample : samples) {
    for (std::size_t i = channel; i < sample.values.size(); i += size(spec.dense.outputs)) {
      sample.values[i] = scaled(sample.values[i], mean);
    }
  }
}

}  // namespace

void standardise_stem(const NetworkSpec& spec, std::span<const Sequences<float>> samples,
                      std::span<float> weights) {
  if (spec.encoder.stem.empty()) return;
  const auto backend = make_cpu_backend(1);
  std::vector<Sample> values = embedded(spec, samples, weights.data(), *backend);
  for (const ConvolutionSpec& convolution : spec.encoder.stem.convolutions) {
    const int channels = convolution.dense.outputs;
    convolve(convolution, weights.data(), *backend, values);
    const auto mean = means(values, channels, [](double value, std::size_t) { return value; });
    const auto variance = means(values, channels, [&](double value, std::size_t channel) {
      return (value - mean[channel]) * (value - mean[channel]);
    });
    for (std::size_t c = 0; c < mean.size(); ++c) {
      const double deviation = std::sqrt(variance[c]);
      if (deviation < kLeastDeviation) continue;
      rescale(convolution, c, mean[c], deviation, weights, values);
    }
    for (Sample& sample : values) {
      backend->rectify(channels, sample.rows, sample.values.data());
    }
  }
}

}  // namespace rwa

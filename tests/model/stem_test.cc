// tests/model/stem_test.cc: the stem: its outputs are those of an obvious convolution, on the CPU
// too and with the same bits for any number of threads; parts of sequences give the outputs of
// whole ones; and its start depends on data.
#include "model/stem.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "backend/device.h"
#include "model/stem_start.h"
#include "support/cases.h"
#include "support/random_data.h"

namespace rwa {
namespace {

using Values = std::vector<double>;

struct Batch {
  Batch(const ModelConfig& config, int most, int sequences)
      : spec(config), steps(most), batch(sequences) {
    RandomData random(9);
    lengths = random.lengths(batch, steps);
    parameters = random.normal<float>(spec.parameters(), 0.4);
    x = random.normal<float>(cases::product(steps, batch, config.inputs));
  }
  [[nodiscard]] Rows rows() const { return {steps, batch, lengths}; }

  NetworkSpec spec;
  int steps, batch;
  std::vector<std::int32_t> lengths;
  std::vector<float> parameters, x;
};

// [T,B,channels] by the definition, one number at a time.
Values obvious(const Batch& data) {
  Values in(data.x.begin(), data.x.end());
  for (const ConvolutionSpec& c : data.spec.encoder.stem.convolutions) {
    const float* weight = data.parameters.data() + c.dense.offset;
    const float* bias = weight + c.dense.bias();
    Values out(cases::product(data.steps, data.batch, c.dense.outputs));
    for (int t = 0; t < data.steps; ++t) {
      for (int b = 0; b < data.batch; ++b) {
        for (int o = 0; o < c.dense.outputs; ++o) {
          double z = bias[o];
          for (int k = 0; k < c.kernel && k <= t; ++k) {
            for (int i = 0; i < c.width(); ++i) {
              z += weight[(o * c.kernel + k) * c.width() + i] *
                   in[static_cast<std::size_t>(((t - k) * data.batch + b) * c.width() + i)];
            }
          }
          out[static_cast<std::size_t>((t * data.batch + b) * c.dense.outputs + o)] =
              std::max(0.0, z);
        }
      }
    }
    in = out;
  }
  return in;
}

template <class Real>
std::vector<Real> convolved(Backend<Real>& backend, const Batch& data) {
  NetworkWeights<Real> weights(data.spec, backend);
  weights.set(std::vector<Real>(data.parameters.begin(), data.parameters.end()));
  StemPass<Real> pass(data.spec.encoder.stem, backend);
  const std::vector<Real> x(data.x.begin(), data.x.end());
  const Real* out = pass.forward(weights.stem, {.x = x.data(), .rows = data.rows()});
  return {out, out + cases::product(data.steps, data.batch, data.spec.encoder.stem.width())};
}

std::vector<ModelConfig> stems() {
  return {{.inputs = 1, .stem = {15, 9, 5}, .channels = 64, .units = 3},
          {.inputs = 3, .stem = {4}, .channels = 5, .units = 3},
          {.inputs = 20, .stem = {1, 3}, .channels = 17, .units = 3}};
}

template <class Real>
void expect_near(const Batch& data, const std::vector<Real>& found, const Values& expected,
                 double tolerance) {
  const auto width = static_cast<std::size_t>(data.spec.encoder.stem.width());
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto row = static_cast<int>(i / width);
    if (!data.rows().has(row / data.batch, row % data.batch)) continue;
    const double limit = tolerance * std::max(1.0, std::abs(expected[i]));
    EXPECT_NEAR(static_cast<double>(found[i]), expected[i], limit) << i;
  }
}

TEST(Stem, IsAConvolution) {
  for (const ModelConfig& config : stems()) {
    const Batch data(config, 40, 6);
    const Values expected = obvious(data);
    expect_near(data, convolved(*make_reference_backend(), data), expected, 1e-12);
    expect_near(data, convolved(*make_cpu_backend(1), data), expected, 1e-4);
  }
}

TEST(Stem, PartsGiveTheBitsOfTheWhole) {
  for (const ModelConfig& config : stems()) {
    for (const int part : {1, 3, 17}) {
      Batch data(config, 40, 2);
      data.lengths = {40, 40};
      const auto backend = make_cpu_backend(1);
      const std::vector<float> whole = convolved(*backend, data);
      NetworkWeights<float> weights(data.spec, *backend);
      weights.set(data.parameters);
      const StemSpec& stem = data.spec.encoder.stem;
      StemPass<float> pass(stem, *backend);
      std::vector<float> state(2 * stem.state_size(), 0.0F);
      for (int begin = 0; begin < data.steps; begin += part) {
        const Rows rows{std::min(part, data.steps - begin), 2, {}};
        const float* out = pass.forward(
            weights.stem, {.x = data.x.data() + cases::product(begin, 2, config.inputs),
                           .rows = rows,
                           .initial_state = begin == 0 ? nullptr : state.data(),
                           .final_state = state.data()});
        EXPECT_TRUE(std::equal(out, out + cases::product(rows.steps, 2, stem.width()),
                               whole.begin() + 2L * begin * stem.width()))
            << part << ' ' << begin;
      }
    }
  }
}

// Samples of one sequence each, of different lengths.
struct Samples {
  explicit Samples(int inputs, int symbols = 0) {
    for (int i = 0; i < 7; ++i) {
      const auto steps = static_cast<std::size_t>(5 + 11 * i);
      RandomData random(static_cast<std::uint64_t>(i));
      x.push_back(random.normal<float>(steps * static_cast<std::size_t>(inputs), 3, 2));
      if (symbols > 0) of.push_back(random.classes(steps, symbols));
    }
    for (std::size_t i = 0; i < x.size(); ++i) {
      all.push_back({.x = x[i].data(),
                     .rows = {.steps = static_cast<int>(5 + 11 * i), .batch = 1},
                     .symbols = of.empty() ? nullptr : of[i].data()});
    }
  }
  std::vector<std::vector<float>> x;
  std::vector<std::vector<std::int32_t>> of;
  std::vector<Sequences<float>> all;
};

// Checks each channel of the last convolution before its rectifier: the weights give its positive
// part, and negated its negative part.
void expect_standard(const ModelConfig& config, const Samples& samples) {
  const NetworkSpec spec(config);
  std::vector<float> weights = initial_weights(spec, config);
  standardise_stem(spec, samples.all, weights);
  const auto backend = make_cpu_backend(1);
  const ConvolutionSpec& last = spec.encoder.stem.convolutions.back();
  const auto channels = static_cast<std::size_t>(last.dense.outputs);
  Values sum(channels), square(channels);
  double steps = 0;
  for (const int sign : {1, -1}) {
    std::vector<float> signed_weights = weights;
    for (std::size_t i = 0; i < last.dense.parameters(); ++i) {
      signed_weights[last.dense.offset + i] *= static_cast<float>(sign);
    }
    NetworkWeights<float> loaded(spec, *backend);
    loaded.set(signed_weights);
    StemPass<float> pass(spec.encoder.stem, *backend);
    for (const Sequences<float>& sample : samples.all) {
      std::vector<float> x(sample.x, sample.x + sample.rows.steps * spec.inputs());
      if (const auto& table = spec.encoder.embedding) {
        x.resize(cases::product(sample.rows.steps, table->width));
        backend->lookup(*table, sample.rows, {sample.symbols}, weights.data() + table->offset,
                        nullptr, x.data());
      }
      const float* out = pass.forward(loaded.stem, {.x = x.data(), .rows = sample.rows});
      for (std::size_t i = 0; i < cases::product(sample.rows.steps, last.dense.outputs); ++i) {
        sum[i % channels] += sign * static_cast<double>(out[i]);
        square[i % channels] += out[i] * out[i];
      }
      if (sign > 0) steps += sample.rows.steps;
    }
  }
  for (std::size_t c = 0; c < channels; ++c) {
    EXPECT_NEAR(sum[c] / steps, 0, 1e-5) << c;
    EXPECT_NEAR(square[c] / steps, 1, 1e-4) << c;
  }
}

TEST(StemStart, EveryChannelHasMeanZeroAndDeviationOne) {
  const Samples samples(2);
  expect_standard({.inputs = 2, .stem = {5}, .channels = 9, .units = 3}, samples);
  expect_standard({.inputs = 2, .stem = {5, 3, 2}, .channels = 9, .units = 3}, samples);
}

TEST(StemStart, OfEmbeddedSymbols) {
  expect_standard({.input = Input::kSymbols,
                   .inputs = 4,
                   .embedding = 3,
                   .stem = {5, 3},
                   .channels = 6,
                   .units = 3},
                  Samples(4, 4));
}

TEST(StemStart, ChangesTheStemAloneAndAlwaysInTheSameWay) {
  const ModelConfig config{.inputs = 2, .stem = {5, 3}, .channels = 9, .units = 3};
  const NetworkSpec spec(config);
  const std::vector<float> before = initial_weights(spec, config);
  std::vector<float> weights = before, again = before;
  standardise_stem(spec, Samples(2).all, weights);
  standardise_stem(spec, Samples(2).all, again);
  EXPECT_EQ(weights, again);
  for (const ParameterInfo& info : spec.describe()) {
    const auto begin = static_cast<std::ptrdiff_t>(info.offset);
    const bool same = std::equal(weights.begin() + begin,
                                 weights.begin() + begin + static_cast<std::ptrdiff_t>(info.size),
                                 before.begin() + begin);
    EXPECT_EQ(same, !info.name.starts_with("stem")) << info.name;
  }
}

TEST(StemStart, AConstantChannelKeepsItsWeights) {
  const ModelConfig config{.inputs = 1, .stem = {1}, .channels = 4, .units = 3};
  const NetworkSpec spec(config);
  const std::vector<float> before = initial_weights(spec, config);
  std::vector<float> weights = before;
  const std::vector<float> x(20, 2.5F);
  standardise_stem(spec, std::vector<Sequences<float>>{{x.data(), {.steps = 20, .batch = 1}}},
                   weights);
  EXPECT_EQ(weights, before);
  standardise_stem(spec, {}, weights);
  EXPECT_EQ(weights, before);
}

}  // namespace
}  // namespace rwa

// tests/backend/cuda_stem_test.cc: a stem on the GPU. Its operations besides the products have the
// bits of the CPU; the whole is as close to the double reference as the CPU; parts of sequences
// give the bits of whole ones. NaN is past the end of every sequence. Skipped without a GPU.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "backend/device.h"
#include "model/stem.h"
#include "support/cases.h"
#include "support/cuda.h"
#include "support/random_data.h"

namespace rwa {
namespace {

using cases::Numbers;
using cases::product;
using cases::relative_error;
using cases::same_bits;

constexpr float kBefore = 7;  // initial value of what is added to or must not be written
// The error may be this large, or kTimesCpu times the CPU's.
constexpr double kLeastBound = 1e-6;
constexpr double kTimesCpu = 4;

using CudaStem = cases::OnCudaBackend;

// Sequences of uneven lengths.
struct Batch {
  Batch(int most, int sequences) : steps(most), batch(sequences) {
    lengths = RandomData(static_cast<std::uint64_t>(steps + batch)).lengths(batch, steps);
  }
  [[nodiscard]] Rows rows() const { return {steps, batch, lengths}; }

  // [T,B,width] with `end` past the end of each sequence.
  template <class Real>
  [[nodiscard]] std::vector<Real> ended(std::vector<Real> values, int width, Real end) const {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto row = static_cast<int>(i) / width;
      if (!rows().has(row / batch, row % batch)) values[i] = end;
    }
    return values;
  }
  // Random, NaN past the end of each sequence.
  [[nodiscard]] std::vector<float> numbers(int width, std::uint64_t seed) const {
    return ended(RandomData(seed).normal<float>(product(steps, batch, width)), width,
                 std::numeric_limits<float>::quiet_NaN());
  }
  // In device memory, extended to the capacity of the device's rows.
  template <class Real>
  [[nodiscard]] Numbers<Real> spacious(Backend<Real>& on, const Rows& placed,
                                       std::vector<float> values, int width) const {
    values.resize(product(placed.steps, batch, width), kBefore);
    return Numbers<Real>(on, values);
  }
  template <class Real>
  [[nodiscard]] std::vector<Real> tight(const Numbers<Real>& numbers, int width) const {
    std::vector<Real> values = numbers.read();
    values.resize(product(steps, batch, width));
    return values;
  }

  int steps, batch;
  std::vector<std::int32_t> lengths;
};

struct Size {
  int steps, batch, width, kernel;
};
// Kernels longer than the sequences; fewer and more columns than a warp has lanes, and multiples.
constexpr Size kSizes[] = {{1, 1, 1, 1},    {1, 1, 1, 15},   {40, 1, 17, 15},  {9, 6, 3, 2},
                           {9, 6, 3, 12},   {7, 5, 100, 1},  {40, 50, 1, 15},  {12, 300, 33, 5},
                           {40, 37, 64, 9}, {5, 9, 32, 200}, {60, 20, 64, 15}, {4, 2000, 2, 3}};

std::string describe(const Size& s) {
  return std::to_string(s.steps) + " steps, batch " + std::to_string(s.batch) + ", width " +
         std::to_string(s.width) + ", kernel " + std::to_string(s.kernel);
}

struct Parts {
  std::vector<float> unfolded, dx, after, rectified, derivative;
};

Parts run_parts(Backend<float>& backend, const Size& size, bool starts) {
  const auto [steps, sequences, width, kernel] = size;
  const Batch batch(steps, sequences);
  const std::vector<float> x = batch.numbers(width, 1);
  const int wide = kernel * width;
  const auto feed = cases::load_feed<float>(backend, x.data(), width, batch.rows());
  const Rows rows = feed->in().rows;
  const auto filled = [&](int columns) {
    return batch.spacious(backend, rows,
                          std::vector<float>(product(steps, sequences, columns), kBefore), columns);
  };
  const std::size_t state_size = product(sequences, kernel - 1, width);
  Numbers<float> state(backend, RandomData(2).normal<float>(state_size));
  Numbers<float> after(backend, state_size, kBefore);
  const float* before = starts ? nullptr : state.data();
  auto unfolded = filled(wide), dx = filled(width);
  auto dout = batch.spacious(backend, rows, batch.numbers(wide, 3), wide);
  auto values = batch.spacious(backend, rows, x, width);
  auto gradient = batch.spacious(backend, rows, batch.numbers(width, 4), width);
  backend.unfold(width, kernel, rows, before, feed->in().x, unfolded.data());
  backend.unfold_backward(width, kernel, rows, dout.data(), dx.data());
  backend.last_steps(width, kernel, rows, before, feed->in().x, after.data());
  backend.rectify(width, rows, values.data());
  backend.rectify_backward(width, rows, values.data(), gradient.data());
  return {batch.tight(unfolded, wide), batch.tight(dx, width), after.read(),
          batch.tight(values, width), batch.tight(gradient, width)};
}

TEST_F(CudaStem, HasTheBitsOfTheCpu) {
  const auto cpu = make_cpu_backend(1);
  for (const Size& size : kSizes) {
    for (const bool starts : {true, false}) {
      const Parts found = run_parts(*backend, size, starts);
      const Parts expected = run_parts(*cpu, size, starts);
      const std::string what = describe(size) + (starts ? "" : ", later part");
      EXPECT_TRUE(same_bits(found.unfolded, expected.unfolded)) << what;
      EXPECT_TRUE(same_bits(found.dx, expected.dx)) << what;
      EXPECT_TRUE(same_bits(found.after, expected.after)) << what;
      EXPECT_TRUE(same_bits(found.rectified, expected.rectified)) << what;
      EXPECT_TRUE(same_bits(found.derivative, expected.derivative)) << what;
    }
  }
}

// The rows of a state's start: no feed, and no steps.
TEST_F(CudaStem, StartsWithZeros) {
  Numbers<float> after(*backend, product(5, 14, 3), kBefore);
  backend->last_steps(3, 15, {.steps = 0, .batch = 5}, nullptr, nullptr, after.data());
  EXPECT_EQ(after.read(), std::vector<float>(product(5, 14, 3), 0.0F));
}

// A divergence must show.
TEST_F(CudaStem, WhatIsNotANumberStays) {
  Numbers<float> values(
      *backend, std::vector<float>{std::numeric_limits<float>::quiet_NaN(), -1.0F, -0.0F, 2.0F});
  backend->rectify(2, {.steps = 2, .batch = 1}, values.data());
  const std::vector<float> found = values.read();
  EXPECT_TRUE(std::isnan(found[0]));
  EXPECT_EQ(std::vector<float>(found.begin() + 1, found.end()), (std::vector<float>{0, 0, 2}));
}

TEST_F(CudaStem, ADenseLayerNeedNotGiveTheGradientOfItsInput) {
  for (const auto& [inputs, outputs] : {std::pair{3, 4}, std::pair{960, 64}}) {
    const DenseSpec spec{inputs, outputs};
    const Batch batch(20, 37);
    const std::vector<float> x = batch.numbers(inputs, 1);
    const auto feed = cases::load_feed<float>(*backend, x.data(), inputs, batch.rows());
    const Rows rows = feed->in().rows;
    const auto weights = backend->make_weights(spec);
    weights->load(Numbers<float>(*backend, RandomData(5).normal<float>(spec.parameters())).data());
    auto dy = batch.spacious(*backend, rows, batch.numbers(outputs, 2), outputs);
    Numbers<float> dh(*backend, product(rows.steps, rows.batch, inputs));
    Numbers<float> with(*backend, spec.parameters()), without(*backend, spec.parameters());
    const float* h = feed->in().x;
    backend->dense_backward(spec, *weights, rows, h, dy.data(), with.data(), dh.data());
    backend->dense_backward(spec, *weights, rows, h, dy.data(), without.data(), nullptr);
    EXPECT_TRUE(same_bits(without.read(), with.read()));
  }
}

std::vector<ModelConfig> stems() {
  return {{.inputs = 1, .stem = {15, 9, 5}, .channels = 64, .units = 3},
          {.inputs = 17, .stem = {15, 9}, .channels = 64, .units = 3},
          {.inputs = 3, .stem = {4}, .channels = 5, .units = 3},
          {.inputs = 2, .stem = {3, 80}, .channels = 1, .units = 3},
          {.inputs = 20, .stem = {1, 3}, .channels = 17, .units = 3}};
}

std::vector<float> weights_for(const NetworkSpec& spec) {
  return RandomData(9).normal<float>(spec.parameters(), 0.2);
}

template <class Real>
struct Found {
  std::vector<Real> out, state, parameters, dx;  // parameters and dx are gradients
};

// `with_dx`: the first convolution gives the gradient of its input.
template <class Real>
Found<Real> run_stem(Backend<Real>& backend, const ModelConfig& config, const Batch& batch,
                     bool starts, bool with_dx) {
  const NetworkSpec network(config);
  const StemSpec& spec = network.encoder.stem;
  const std::vector<float> loaded = weights_for(network);
  NetworkWeights<Real> weights(network, backend);
  weights.set(std::vector<Real>(loaded.begin(), loaded.end()));
  StemPass<Real> pass(spec, backend);

  const std::vector<float> numbers = batch.numbers(config.inputs, 1);
  const std::vector<Real> x(numbers.begin(), numbers.end());
  const auto feed = cases::load_feed<Real>(backend, x.data(), config.inputs, batch.rows());
  const Rows rows = feed->in().rows;
  const std::size_t state_size = product(batch.batch, 1) * spec.state_size();
  Numbers<Real> initial(backend, RandomData(3).normal<float>(state_size));
  Numbers<Real> state(backend, state_size), parameters(backend, network.parameters());
  const Real* before = starts ? nullptr : initial.data();
  const Real* out = pass.forward(
      weights.stem,
      {.x = feed->in().x, .rows = rows, .initial_state = before, .final_state = state.data()});
  std::vector<Real> read(product(batch.steps, batch.batch, spec.width()));
  backend.read(read.data(), out, read.size() * sizeof(Real));

  auto dout = batch.spacious(backend, rows, batch.numbers(spec.width(), 4), spec.width());
  Numbers<Real> dx(backend, product(rows.steps, rows.batch, config.inputs));
  pass.backward(weights.stem, {.x = feed->in().x,
                               .rows = rows,
                               .initial_state = before,
                               .dout = dout.data(),
                               .parameters = parameters.data(),
                               .dx = with_dx ? dx.data() : nullptr});
  return {batch.ended(read, spec.width(), Real{0}), state.read(), parameters.read(),
          batch.tight(dx, config.inputs)};
}

void expect_close(const ModelConfig& config, const Batch& batch, bool starts, bool with_dx,
                  Backend<float>& backend) {
  const auto exact = run_stem(*make_reference_backend(), config, batch, starts, with_dx);
  const auto cpu = run_stem(*make_cpu_backend(1), config, batch, starts, with_dx);
  const auto found = run_stem(backend, config, batch, starts, with_dx);
  const std::string what = std::to_string(config.inputs) + " inputs, " +
                           std::to_string(batch.steps) + " steps, batch " +
                           std::to_string(batch.batch) + (starts ? "" : ", later part");
  const auto expect = [&](auto member, const char* name) {
    const double bound = kTimesCpu * relative_error(cpu.*member.first, exact.*member.second);
    EXPECT_LE(relative_error(found.*member.first, exact.*member.second),
              std::max(kLeastBound, bound))
        << what << ", " << name;
  };
  expect(std::pair(&Found<float>::out, &Found<double>::out), "out");
  expect(std::pair(&Found<float>::state, &Found<double>::state), "state");
  expect(std::pair(&Found<float>::parameters, &Found<double>::parameters), "parameters");
  expect(std::pair(&Found<float>::dx, &Found<double>::dx), "dx");
}

TEST_F(CudaStem, AgreesWithTheReference) {
  for (const ModelConfig& config : stems()) {
    for (const Batch& batch : {Batch(40, 37), Batch(30, 1), Batch(3, 8)}) {
      for (const bool starts : {true, false}) {
        expect_close(config, batch, starts, starts, *backend);
      }
    }
  }
}

TEST_F(CudaStem, PartsGiveTheBitsOfTheWhole) {
  for (const ModelConfig& config : stems()) {
    for (const int part : {1, 3, 17}) {
      Batch batch(40, 2);
      batch.lengths = {40, 40};
      const auto x = batch.numbers(config.inputs, 1);
      const auto whole = run_stem(*backend, config, batch, true, false);
      const NetworkSpec network(config);
      const StemSpec& spec = network.encoder.stem;
      NetworkWeights<float> weights(network, *backend);
      weights.set(weights_for(network));
      StemPass<float> pass(spec, *backend);
      Numbers<float> state(*backend, 2 * spec.state_size());
      for (int begin = 0; begin < batch.steps; begin += part) {
        const Rows rows{std::min(part, batch.steps - begin), 2, {}};
        const auto feed = cases::load_feed<float>(
            *backend, x.data() + product(begin, 2, config.inputs), config.inputs, rows);
        const float* out =
            pass.forward(weights.stem, {.x = feed->in().x,
                                        .rows = feed->in().rows,
                                        .initial_state = begin == 0 ? nullptr : state.data(),
                                        .final_state = state.data()});
        std::vector<float> found(product(rows.steps, 2, spec.width()));
        backend->read(found.data(), out, found.size() * sizeof(float));
        EXPECT_TRUE(
            std::equal(found.begin(), found.end(), whole.out.begin() + 2L * begin * spec.width()))
            << part << ' ' << begin;
      }
      EXPECT_TRUE(same_bits(state.read(), whole.state)) << part;
    }
  }
}

}  // namespace
}  // namespace rwa

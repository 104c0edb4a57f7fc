// tests/training/noise_test.cc: noise on training inputs.
#include "training/noise.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace rwa::training {
namespace {

const datasets::Shape kShape{.inputs = 5, .positions = 2};

// Zeros, so that what is left is the noise.
datasets::Batch zeros(std::vector<std::int32_t> lengths) {
  datasets::Batch batch;
  batch.lengths = std::move(lengths);
  datasets::lay_out(batch, kShape.inputs);
  return batch;
}

float at(const datasets::Batch& batch, std::size_t t, std::size_t b, std::size_t i) {
  return batch.x[(t * batch.lengths.size() + b) * 5 + i];
}

TEST(Noise, HasItsDeviationAndLeavesPositionsAndPaddingAlone) {
  auto batch = zeros({4000, 1000});
  add_noise(0.1, {.seed = 1, .step = 7}, kShape, batch);
  double sum = 0, squares = 0;
  for (std::size_t b = 0; b < 2; ++b) {
    for (std::size_t t = 0; t < 4000; ++t) {
      const bool counts = t < static_cast<std::size_t>(batch.lengths[b]);
      for (std::size_t i = 0; i < 5; ++i) {
        const float noise = at(batch, t, b, i);
        EXPECT_EQ(noise != 0, counts && i < 3);
        sum += noise;
        squares += noise * noise;
      }
    }
  }
  EXPECT_NEAR(sum / 15000, 0, 0.004);
  EXPECT_NEAR(std::sqrt(squares / 15000), 0.1, 0.004);
}

TEST(Noise, DependsOnSeedStepAndPlaceOnly) {
  auto whole = zeros({3, 2, 3}), part = zeros({2, 3});
  add_noise(1, {.seed = 1, .step = 7}, kShape, whole);
  add_noise(1, {.seed = 1, .step = 7, .first = 1}, kShape, part);
  for (std::size_t b = 0; b < 2; ++b) {
    for (std::size_t t = 0; t < 2; ++t) EXPECT_EQ(at(part, t, b, 0), at(whole, t, b + 1, 0));
  }
  EXPECT_NE(at(whole, 0, 0, 0), at(whole, 0, 1, 0));
  for (const NoiseKey& other : {NoiseKey{.seed = 2, .step = 7}, NoiseKey{.seed = 1, .step = 8}}) {
    auto changed = zeros({3, 2, 3});
    add_noise(1, other, kShape, changed);
    EXPECT_NE(at(changed, 0, 0, 0), at(whole, 0, 0, 0));
  }
}

TEST(Noise, OfNoneAndOfSymbolsChangesNothing) {
  auto batch = zeros({3});
  add_noise(0, {}, kShape, batch);
  EXPECT_EQ(batch.x, std::vector<float>(15, 0));
  datasets::Batch symbols;
  symbols.symbols = {1, 2};
  symbols.lengths = {2};
  add_noise(1, {}, kShape, symbols);
  EXPECT_EQ(symbols.symbols, (std::vector<std::int32_t>{1, 2}));
}

}  // namespace
}  // namespace rwa::training

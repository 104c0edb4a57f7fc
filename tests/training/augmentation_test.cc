// tests/training/augmentation_test.cc: noise on the inputs of a training batch, and shifts.
#include "training/augmentation.h"

#include <cmath>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "rwa/errors.h"

namespace rwa::training {
namespace {

constexpr int kInputs = 5, kPositions = 2;
const datasets::Shape kShape{.inputs = kInputs, .positions = kPositions};
constexpr AugmentationKey kKey{.seed = 1, .step = 7};

// Zeros, so that what is left is the noise.
datasets::Batch zeros(std::vector<std::int32_t> lengths) {
  datasets::Batch batch;
  batch.lengths = std::move(lengths);
  datasets::lay_out(batch, kInputs);
  return batch;
}

template <class Batch>
auto& at(Batch& batch, std::size_t t, std::size_t b, std::size_t i) {
  return batch.x[(t * batch.lengths.size() + b) * kInputs + i];
}

// Every number tells its step, from 1, so that 0 is padding.
datasets::Batch ramps(std::vector<std::int32_t> lengths) {
  datasets::Batch batch = zeros(std::move(lengths));
  for (std::size_t b = 0; b < batch.lengths.size(); ++b) {
    for (std::size_t t = 0; t < static_cast<std::size_t>(batch.lengths[b]); ++t) {
      for (std::size_t i = 0; i < kInputs; ++i) at(batch, t, b, i) = static_cast<float>(t + 1);
    }
  }
  return batch;
}

void add_noise(double deviation, const AugmentationKey& key, datasets::Batch& batch) {
  augment({.noise = deviation}, key, kShape, batch);
}

TEST(Noise, HasItsDeviationAndLeavesPositionsAndPaddingAlone) {
  auto batch = zeros({4000, 1000});
  add_noise(0.1, kKey, batch);
  double sum = 0, squares = 0;
  for (std::size_t b = 0; b < 2; ++b) {
    for (std::size_t t = 0; t < 4000; ++t) {
      const bool counts = t < static_cast<std::size_t>(batch.lengths[b]);
      for (std::size_t i = 0; i < kInputs; ++i) {
        const float noise = at(batch, t, b, i);
        EXPECT_EQ(noise != 0, counts && i < kInputs - kPositions);
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
  add_noise(1, kKey, whole);
  add_noise(1, {.seed = 1, .step = 7, .first = 1}, part);
  for (std::size_t b = 0; b < 2; ++b) {
    for (std::size_t t = 0; t < 2; ++t) EXPECT_EQ(at(part, t, b, 0), at(whole, t, b + 1, 0));
  }
  EXPECT_NE(at(whole, 0, 0, 0), at(whole, 0, 1, 0));
  for (const AugmentationKey& other :
       {AugmentationKey{.seed = 2, .step = 7}, AugmentationKey{.seed = 1, .step = 8}}) {
    auto changed = zeros({3, 2, 3});
    add_noise(1, other, changed);
    EXPECT_NE(at(changed, 0, 0, 0), at(whole, 0, 0, 0));
  }
}

TEST(Augmentation, OfNoneAndNoiseOnSymbolsChangeNothing) {
  auto batch = ramps({3});
  augment({}, kKey, kShape, batch);
  EXPECT_EQ(batch.x, ramps({3}).x);
  datasets::Batch symbols;
  symbols.symbols = {1, 2};
  symbols.lengths = {2};
  augment({.noise = 1}, kKey, {.input = Input::kSymbols, .inputs = 3}, symbols);
  EXPECT_EQ(symbols.symbols, (std::vector<std::int32_t>{1, 2}));
}

// By how much the middle of a sequence was shifted.
int shift_of(const datasets::Batch& batch, std::size_t b) {
  const auto middle = static_cast<std::size_t>(batch.lengths[b] / 2);
  return static_cast<int>(at(batch, middle, b, 0)) - static_cast<int>(middle + 1);
}

TEST(Shift, MovesNumbersAndRepeatsTheEnds) {
  std::set<int> seen;
  for (std::int64_t step = 0; step < 200; ++step) {
    auto batch = ramps({40, 20});
    augment({.shift = 0.1}, {.seed = 1, .step = step}, kShape, batch);
    for (std::size_t b = 0; b < 2; ++b) {
      const int length = batch.lengths[b], by = shift_of(batch, b);
      ASSERT_LE(std::abs(by), length / 10);
      if (b == 0) seen.insert(by);
      for (int t = 0; t < batch.steps; ++t) {
        const auto step_of = static_cast<std::size_t>(t);
        const bool is_padding = t >= length;
        const int moved = is_padding ? 0 : std::clamp(t + by, 0, length - 1) + 1;
        for (std::size_t i = 0; i < kInputs; ++i) {
          const bool is_position = i >= kInputs - kPositions;
          EXPECT_EQ(at(batch, step_of, b, i), is_position && !is_padding ? t + 1 : moved);
        }
      }
    }
  }
  EXPECT_EQ(seen, (std::set<int>{-4, -3, -2, -1, 0, 1, 2, 3, 4}));
}

TEST(Shift, DependsOnSeedStepAndPlaceOnly) {
  auto whole = ramps({90, 90, 90}), part = ramps({90, 90});
  augment({.shift = 0.4}, kKey, kShape, whole);
  augment({.shift = 0.4}, {.seed = 1, .step = 7, .first = 1}, kShape, part);
  EXPECT_EQ(shift_of(part, 0), shift_of(whole, 1));
  EXPECT_EQ(shift_of(part, 1), shift_of(whole, 2));
  EXPECT_NE(shift_of(whole, 0), shift_of(whole, 1));
}

TEST(Shift, MovesSymbols) {
  std::set<std::vector<std::int32_t>> seen;
  for (std::int64_t step = 0; step < 50; ++step) {
    datasets::Batch batch;
    batch.symbols = {1, 2, 3};
    batch.lengths = {3};
    augment({.shift = 0.4}, {.seed = 1, .step = step}, {.input = Input::kSymbols, .inputs = 4},
            batch);
    seen.insert(batch.symbols);
  }
  EXPECT_EQ(seen, (std::set<std::vector<std::int32_t>>{{1, 1, 2}, {1, 2, 3}, {2, 3, 3}}));
}

TEST(Augmentation, RefusesWhatCannotBe) {
  EXPECT_NO_THROW(check_augmentation({.noise = 0.1, .shift = 0.9}, kShape));
  EXPECT_THROW(check_augmentation({.shift = 0.1}, {.readout = Readout::kEvery}), ConfigError);
}

}  // namespace
}  // namespace rwa::training

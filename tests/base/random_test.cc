// tests/base/random_test.cc: the generator is Philox4x32-10 as its authors publish it, and its
// numbers are spread as they should be.
#include "base/random.h"

#include <array>
#include <cmath>
#include <set>

#include <gtest/gtest.h>

namespace rwa {
namespace {

using Bits = std::array<std::uint32_t, 4>;

constexpr int kDraws = 200000;

Purpose purpose(std::uint32_t number) { return static_cast<Purpose>(number); }

// kat_vectors of Random123: the counter is {index low, index high, stream, purpose}, the key the
// seed.
TEST(Random, KnownAnswersOfPhilox) {
  EXPECT_EQ(Random(0, purpose(0), 0).bits(0),
            (Bits{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(Random(~0ULL, purpose(~0U), ~0U).bits(~0ULL),
            (Bits{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(Random(0x299f31d0a4093822, purpose(0x03707344), 0x13198a2e).bits(0x85a308d3243f6a88),
            (Bits{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

// Mean and variance of the first numbers, to within four deviations of either.
template <class Draw>
void expect_moments(Draw&& draw, double mean, double variance, double fourth_moment) {
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double v = draw(static_cast<std::uint64_t>(i)) - mean;
    sum += v;
    squares += v * v;
  }
  constexpr double kDeviations = 4;
  EXPECT_NEAR(sum / kDraws, 0, kDeviations * std::sqrt(variance / kDraws));
  EXPECT_NEAR(squares / kDraws, variance,
              kDeviations * std::sqrt((fourth_moment - variance * variance) / kDraws));
}

TEST(Random, UniformMomentsAndRange) {
  const Random random(5, Purpose::kWeights);
  expect_moments([&](auto i) { return random.uniform(i); }, 0.5, 1.0 / 12, 1.0 / 80);
  for (std::uint64_t i = 0; i < kDraws; ++i) {
    const double u = random.uniform(i);
    ASSERT_GT(u, 0);
    ASSERT_LT(u, 1);
  }
}

TEST(Random, NormalMoments) {
  const Random random(6, Purpose::kWeights);
  expect_moments([&](auto i) { return random.normal(i); }, 0, 1, 3);
}

// A tail of the right weight: P(|v| > 3) = 0.0027.
TEST(Random, NormalTails) {
  const Random random(7, Purpose::kWeights);
  int beyond = 0;
  for (std::uint64_t i = 0; i < kDraws; ++i) beyond += std::abs(random.normal(i)) > 3 ? 1 : 0;
  EXPECT_NEAR(beyond, 0.0026998 * kDraws, 4 * std::sqrt(0.0027 * kDraws));
}

TEST(Random, SeedPurposeStreamAndIndexAllMatter) {
  std::set<Bits> seen;
  int drawn = 0;
  for (const std::uint64_t seed : {0ULL, 1ULL, 1ULL << 32}) {
    for (const std::uint32_t reason : {0U, 1U, 2U}) {
      for (const std::uint32_t stream : {0U, 1U, 2U}) {
        for (const std::uint64_t index : {0ULL, 1ULL, 1ULL << 32}) {
          seen.insert(Random(seed, purpose(reason), stream).bits(index));
          ++drawn;
        }
      }
    }
  }
  EXPECT_EQ(static_cast<int>(seen.size()), drawn);
}

TEST(Random, TheSameNumberEveryTime) {
  const Random one(9, Purpose::kWeights, 3);
  const Random other(9, Purpose::kWeights, 3);
  EXPECT_EQ(one.normal(12), other.normal(12));
  EXPECT_EQ(one.uniform(12), one.uniform(12));
}

}  // namespace
}  // namespace rwa

// tests/base/random_test.cc: the generator matches the published Philox4x32-10, and its numbers
// have the right distributions.
#include "base/random.h"

#include <array>
#include <cmath>
#include <set>
#include <utility>

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

// Checks mean and variance to within four standard errors.
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

// Checks the tails: P(|v| > 3) = 0.0027.
template <class Draw>
void expect_normal_tails(Draw&& draw) {
  int beyond = 0;
  for (std::uint64_t i = 0; i < kDraws; ++i) beyond += std::abs(draw(i)) > 3 ? 1 : 0;
  EXPECT_NEAR(beyond, 0.0026998 * kDraws, 4 * std::sqrt(0.0027 * kDraws));
}

TEST(Random, NormalTails) {
  const Random random(7, Purpose::kWeights);
  expect_normal_tails([&](auto i) { return random.normal(i); });
}

TEST(Random, FourUniformsAtOnce) {
  const Random random(8, Purpose::kTrainSamples);
  const auto draw = [&](std::uint64_t i) { return random.uniforms(i / 4)[i % 4]; };
  expect_moments(draw, 0.5, 1.0 / 12, 1.0 / 80);
  for (std::uint64_t i = 0; i < kDraws; ++i) {
    ASSERT_GT(draw(i), 0);
    ASSERT_LT(draw(i), 1);
  }
}

TEST(Random, FourNormalsAtOnce) {
  const Random random(9, Purpose::kTrainSamples);
  const auto draw = [&](std::uint64_t i) { return random.normals(i / 4)[i % 4]; };
  expect_moments(draw, 0, 1, 3);
  expect_normal_tails(draw);
}

// Pairs share a radius and an angle but must be independent: products have mean 0 and variance 1.
TEST(Random, TheFourNormalsAreIndependent) {
  const Random random(10, Purpose::kTrainSamples);
  for (const auto& [one, other] : {std::pair{0, 1}, {0, 2}, {1, 3}, {2, 3}}) {
    expect_moments(
        [&, i = one, j = other](std::uint64_t index) {
          const auto four = random.normals(index);
          return four.at(i) * four.at(j);
        },
        0, 1, 9);
  }
}

TEST(Random, BelowIsEvenOverItsRange) {
  const Random random(5, Purpose::kTrainDraws);
  std::array<int, 7> seen{};
  for (std::uint64_t i = 0; i < kDraws; ++i) ++seen.at(random.below(i, seen.size()));
  const double expected = kDraws / 7.0;
  for (const int count : seen) EXPECT_NEAR(count, expected, 4 * std::sqrt(expected));
  EXPECT_EQ(random.below(0, 1), 0U);
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

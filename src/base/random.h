// src/base/random.h: random numbers as a function of (seed, purpose, stream, index), identical on
// every device and for any number of threads. Philox4x32-10 (Salmon et al. 2011, Random123), a
// counter-based generator without state.
#pragma once

#include <array>
#include <cstdint>

namespace rwa {

// What the numbers are used for. Two purposes never share a counter.
enum class Purpose : std::uint32_t {
  kWeights = 1,
  kTrainSamples = 2,  // stream: index of the sample
  kTestSamples = 3,
  kTrainDraws = 4,  // which samples make up a batch
  kTestDraws = 5,
  kFinalDraws = 6,
  kPermutation = 7,
  kDropout = 8,  // stream: the layer
  kSplit = 9,    // which samples are for validation; stream: the class
  kOrder = 10,   // order of training samples; stream: the epoch
  kTune = 11,
  kSample = 12,  // sampling generated sequences
  kNoise = 13,   // on training inputs; stream: the step
  kShift = 14,   // of training sequences; stream: the step
};

class Random {
 public:
  Random(std::uint64_t seed, Purpose purpose, std::uint32_t stream = 0)
      : seed_(seed), purpose_(purpose), stream_(stream) {}

  // Four independent 32-bit numbers for each index.
  [[nodiscard]] std::array<std::uint32_t, 4> bits(std::uint64_t index) const;

  // In (0, 1), with 52 random bits.
  [[nodiscard]] double uniform(std::uint64_t index) const;

  // In 0…count-1.
  [[nodiscard]] std::uint64_t below(std::uint64_t index, std::uint64_t count) const;

  // Mean 0, deviation 1 (Box and Muller).
  [[nodiscard]] double normal(std::uint64_t index) const;

  // Four single-precision numbers per index, faster for many numbers: like uniform(), with 23
  // random bits each, and like normal().
  [[nodiscard]] std::array<float, 4> uniforms(std::uint64_t index) const;
  [[nodiscard]] std::array<float, 4> normals(std::uint64_t index) const;

 private:
  std::uint64_t seed_;
  Purpose purpose_;
  std::uint32_t stream_;
};

}  // namespace rwa

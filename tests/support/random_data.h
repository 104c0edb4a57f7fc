// tests/support/random_data.h: random test data, the same in every run and with every standard
// library (whose own distributions may differ).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <numbers>
#include <random>
#include <vector>

namespace rwa {

class RandomData {
 public:
  explicit RandomData(std::uint64_t seed) : engine_(seed) {}

  template <class Real>
  std::vector<Real> normal(std::size_t count, double deviation = 1, double mean = 0) {
    return fill<Real>(count, [&] { return mean + deviation * next_normal(); });
  }

  // In [low, high).
  template <class Real>
  std::vector<Real> uniform(std::size_t count, double low = 0, double high = 1) {
    return fill<Real>(count, [&] { return low + (high - low) * next_unit(); });
  }

  // Each in 0…classes-1.
  std::vector<std::int32_t> classes(std::size_t count, int classes) {
    return fill<std::int32_t>(count, [&] { return std::floor(next_unit() * classes); });
  }

  // Each in 0…steps, in random order. Includes the error-prone lengths if there is room: steps, 0
  // and 1.
  std::vector<std::int32_t> lengths(int batch, int steps) {
    auto all = classes(static_cast<std::size_t>(batch), steps + 1);
    const std::int32_t special[] = {steps, 0, std::min(1, steps)};
    std::copy_n(special, std::min<std::size_t>(all.size(), std::size(special)), all.begin());
    std::shuffle(all.begin(), all.end(), engine_);
    return all;
  }

 private:
  template <class Real, class Next>
  static std::vector<Real> fill(std::size_t count, Next&& next) {
    std::vector<Real> values(count);
    for (Real& value : values) value = static_cast<Real>(next());
    return values;
  }

  double next_unit() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }

  // Box and Muller; 1 - u is never 0.
  double next_normal() {
    const double radius = std::sqrt(-2 * std::log(1 - next_unit()));
    return radius * std::cos(2 * std::numbers::pi * next_unit());
  }

  std::mt19937_64 engine_;
};

}  // namespace rwa

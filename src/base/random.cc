#include "base/random.h"

#include <Random123/philox.h>

#include <cmath>
#include <numbers>

namespace rwa {
namespace {
// Never 0 and never 1: the logarithm of either end is needed somewhere.
double to_unit(std::uint32_t high, std::uint32_t low) {
  const std::uint64_t bits = (static_cast<std::uint64_t>(high) << 32 | low) >> 12;
  return (static_cast<double>(bits) + 0.5) * 0x1p-52;
}
}  // namespace

std::array<std::uint32_t, 4> Random::bits(std::uint64_t index) const {
  const auto low = [](std::uint64_t v) { return static_cast<std::uint32_t>(v); };
  const auto high = [](std::uint64_t v) { return static_cast<std::uint32_t>(v >> 32); };
  const r123::Philox4x32::ctr_type counter = {
      {low(index), high(index), stream_, static_cast<std::uint32_t>(purpose_)}};
  const r123::Philox4x32::key_type key = {{low(seed_), high(seed_)}};
  const auto out = r123::Philox4x32{}(counter, key);
  return {out[0], out[1], out[2], out[3]};
}

double Random::uniform(std::uint64_t index) const {
  const auto b = bits(index);
  return to_unit(b[0], b[1]);
}

double Random::normal(std::uint64_t index) const {
  const auto b = bits(index);
  const double radius = std::sqrt(-2.0 * std::log(to_unit(b[0], b[1])));
  return radius * std::cos(2.0 * std::numbers::pi * to_unit(b[2], b[3]));
}

}  // namespace rwa

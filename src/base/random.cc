#include "base/random.h"

#include <Random123/philox.h>

#include <cmath>
#include <numbers>

namespace rwa {
namespace {
__extension__ using Wide = unsigned __int128;

// Never 0 and never 1, so that logarithms at both ends are finite.
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

std::uint64_t Random::below(std::uint64_t index, std::uint64_t count) const {
  const auto b = bits(index);
  const std::uint64_t whole = static_cast<std::uint64_t>(b[0]) << 32 | b[1];
  // The high half of the product: uniform to within count / 2⁶⁴.
  return static_cast<std::uint64_t>(static_cast<Wide>(whole) * count >> 64);
}

double Random::normal(std::uint64_t index) const {
  const auto b = bits(index);
  const double radius = std::sqrt(-2.0 * std::log(to_unit(b[0], b[1])));
  return radius * std::cos(2.0 * std::numbers::pi * to_unit(b[2], b[3]));
}

std::array<float, 4> Random::uniforms(std::uint64_t index) const {
  std::array<float, 4> values{};
  const auto b = bits(index);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = (static_cast<float>(b[i] >> 9) + 0.5F) * 0x1p-23F;  // exact, so never 0 and never 1
  }
  return values;
}

std::array<float, 4> Random::normals(std::uint64_t index) const {
  const auto unit = [](std::uint32_t word) { return (static_cast<double>(word) + 0.5) * 0x1p-32; };
  std::array<float, 4> values{};
  const auto b = bits(index);
  for (std::size_t i = 0; i < values.size(); i += 2) {
    const float radius = std::sqrt(-2.0F * std::log(static_cast<float>(unit(b[i]))));
    const auto angle = static_cast<float>(2.0 * std::numbers::pi * unit(b[i + 1]));
    values[i] = radius * std::cos(angle);
    values[i + 1] = radius * std::sin(angle);
  }
  return values;
}

}  // namespace rwa

// src/formats/parse.cc: collects digits in a 64-bit integer and scales them by a power of ten that
// a double holds exactly. The resulting double is off by at most two units in the last place, so it
// rounds to the right float unless it is that close to the middle between two floats. Those and all
// unusual forms go to std::from_chars.
#include "formats/parse.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <system_error>

namespace rwa::formats {
namespace {
constexpr std::array kPowersOfTen = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                     1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                     1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
constexpr std::ptrdiff_t kMostDigits = 19;  // always fit into 64 bits

bool is_blank(char c) { return c == ' ' || c == '\t'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Like trimmed(), but faster for the usual number without blanks around it.
std::string_view trim(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(words, [&](std::string_view word) {
    return std::ranges::equal(text, word, [](char c, char letter) { return (c | 0x20) == letter; });
  });
}

const char* gather(const char* at, const char* end, std::uint64_t& mantissa) {
  for (; at != end && is_digit(*at); ++at)
    mantissa = mantissa * 10 + static_cast<unsigned>(*at - '0');
  return at;
}

// Parses the exponent that starts at the letter e, adds it to `exponent` and returns its end.
// Returns `e` if there is none or it is too long.
const char* add_power(const char* e, const char* end, std::int64_t& exponent) {
  constexpr std::ptrdiff_t kFew = 4;
  const char* begin = e + 1;
  const bool minus = begin != end && *begin == '-';
  if (begin != end && (minus || *begin == '+')) ++begin;
  std::uint64_t power = 0;
  const char* const at = gather(begin, end, power);
  if (at == begin || at - begin > kFew) return e;
  exponent += minus ? -static_cast<std::int64_t>(power) : static_cast<std::int64_t>(power);
  return at;
}

// False if the result is uncertain.
bool round_to_float(std::uint64_t mantissa, std::int64_t exponent, bool negative, float& value) {
  constexpr std::int64_t kExact = kPowersOfTen.size() - 1;
  if (exponent < -kExact || exponent > kExact) return false;
  const auto whole = static_cast<double>(mantissa);
  const double scaled = exponent < 0 ? whole / kPowersOfTen[static_cast<std::size_t>(-exponent)]
                                     : whole * kPowersOfTen[static_cast<std::size_t>(exponent)];
  // A float has no room for the last 29 of its 52 bits. (The value is 0 or from 1e-22 to 1e41, so
  // it is not a subnormal float, which would have fewer bits.)
  constexpr std::uint64_t kBeyond = (std::uint64_t{1} << 29) - 1, kMiddle = std::uint64_t{1} << 28;
  const std::uint64_t beyond = std::bit_cast<std::uint64_t>(scaled) & kBeyond;
  if (beyond - kMiddle + 4 <= 8 || scaled > std::numeric_limits<float>::max()) return false;
  value = static_cast<float>(negative ? -scaled : scaled);
  return true;
}

// For a number out of range: whether it is too small rather than too large.
bool is_tiny(std::string_view digits) {
  double value = 0;
  const char* end = digits.data() + digits.size();
  if (std::from_chars(digits.data(), end, value).ec == std::errc()) return value < 1;
  // Out of range for a double too: compare the position of the first digit with the exponent.
  const std::size_t mark = std::min(digits.find_first_of("eE"), digits.size());
  const auto point = static_cast<std::int64_t>(std::min(digits.find('.'), mark));
  const auto first = static_cast<std::int64_t>(digits.find_first_not_of("0."));
  std::int64_t exponent = 0;
  if (mark < digits.size()) {
    std::string_view power = digits.substr(mark + 1);
    if (power.starts_with('+')) power.remove_prefix(1);
    const auto read = std::from_chars(power.data(), power.data() + power.size(), exponent);
    if (read.ec != std::errc()) return power.starts_with('-');
  }
  return exponent < first - point;
}

// Parses an unusual number; the sign has been removed.
Number parse_rare(std::string_view digits, bool negative, float& value) {
  if (is_one_of(digits, {"nan"})) {
    value = std::numeric_limits<float>::quiet_NaN();
    return Number::kMissing;
  }
  if (is_one_of(digits, {"inf", "infinity"})) return Number::kTooLarge;
  if (digits.empty() || !(is_digit(digits.front()) || digits.front() == '.')) return Number::kNone;
  float magnitude = 0;
  const char* end = digits.data() + digits.size();
  const auto read = std::from_chars(digits.data(), end, magnitude);
  if (read.ptr != end || read.ec == std::errc::invalid_argument) return Number::kNone;
  if (read.ec != std::errc() && !is_tiny(digits)) return Number::kTooLarge;
  value = negative ? -magnitude : magnitude;
  return Number::kRead;
}
}  // namespace

Number parse_number(std::string_view text, float& value) {
  text = trim(text);
  const bool negative = text.starts_with('-');
  const std::string_view digits = text.substr(negative || text.starts_with('+') ? 1 : 0);
  const char* const begin = digits.data();
  const char* const end = begin + digits.size();
  std::uint64_t mantissa = 0;
  const char* at = gather(begin, end, mantissa);
  std::ptrdiff_t count = at - begin;
  std::int64_t exponent = 0;
  if (at != end && *at == '.') {
    const char* const point = ++at;
    at = gather(at, end, mantissa);
    exponent = point - at;
    count += at - point;
  }
  if (count > 0 && at != end && (*at | 0x20) == 'e') at = add_power(at, end, exponent);
  const bool usual = at == end && count > 0 && count <= kMostDigits;
  if (usual && round_to_float(mantissa, exponent, negative, value)) return Number::kRead;
  if (text.empty() || text == "?" || is_one_of(text, {"na", "n/a", "#n/a", "null", "none"})) {
    value = std::numeric_limits<float>::quiet_NaN();
    return Number::kMissing;
  }
  return parse_rare(digits, negative, value);
}

std::string with_decimal_point(std::string_view text) {
  const std::size_t comma = text.find(',');
  if (comma == text.npos || text.find('.') != text.npos) return {};
  std::string changed(text);
  changed[comma] = '.';
  return changed;
}

Number parse_number(std::string_view text, char decimal, float& value) {
  if (decimal == '.') return parse_number(text, value);
  if (text.find('.') != text.npos) return Number::kNone;
  if (text.find(',') == text.npos) return parse_number(text, value);
  return parse_number(with_decimal_point(text), value);
}

std::string_view expected_of(Number number) {
  return number == Number::kTooLarge ? "a number of at most 3.4e38" : "a number";
}

}  // namespace rwa::formats

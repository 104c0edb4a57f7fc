#include "formats/lower_case.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>

namespace rwa::formats {
namespace {
// Capitals from `first` to `last`, one in `every`, whose small letters follow at `distance`.
struct Capitals {
  char32_t first, last;
  int every;
  std::int32_t distance;
};
// In order. From the Unicode character database, simple case mappings.
constexpr std::array<Capitals, 35> kCapitals{{
    {U'A', U'Z', 1, 32},        {0xC0, 0xD6, 1, 32},     {0xD8, 0xDE, 1, 32},
    {0x100, 0x12E, 2, 1},       {0x130, 0x130, 1, -199}, {0x132, 0x136, 2, 1},
    {0x139, 0x147, 2, 1},       {0x14A, 0x176, 2, 1},    {0x178, 0x178, 1, -121},
    {0x179, 0x17D, 2, 1},       {0x1A0, 0x1A4, 2, 1},    {0x1AF, 0x1AF, 1, 1},
    {0x1CD, 0x1DB, 2, 1},       {0x1DE, 0x1EE, 2, 1},    {0x1F8, 0x21E, 2, 1},
    {0x222, 0x232, 2, 1},       {0x370, 0x372, 2, 1},    {0x376, 0x376, 1, 1},
    {0x386, 0x386, 1, 38},      {0x388, 0x38A, 1, 37},   {0x38C, 0x38C, 1, 64},
    {0x38E, 0x38F, 1, 63},      {0x391, 0x3A1, 1, 32},   {0x3A3, 0x3AB, 1, 32},
    {0x400, 0x40F, 1, 80},      {0x410, 0x42F, 1, 32},   {0x460, 0x480, 2, 1},
    {0x48A, 0x4BE, 2, 1},       {0x4C0, 0x4C0, 1, 15},   {0x4C1, 0x4CD, 2, 1},
    {0x4D0, 0x52E, 2, 1},       {0x531, 0x556, 1, 48},   {0x1E00, 0x1E94, 2, 1},
    {0x1E9E, 0x1E9E, 1, -7615}, {0x1EA0, 0x1EFE, 2, 1},
}};

char32_t lower(char32_t c) {
  const auto* const found = std::ranges::lower_bound(kCapitals, c, {}, &Capitals::last);
  if (found == kCapitals.end() || c < found->first) return c;
  if ((c - found->first) % static_cast<char32_t>(found->every) != 0) return c;
  return static_cast<char32_t>(static_cast<std::int32_t>(c) + found->distance);
}

void append(char32_t c, std::string& text) {
  const auto put = [&](char32_t byte) { text.push_back(static_cast<char>(byte)); };
  const auto rest = [&](int shift) { put(0x80 | ((c >> shift) & 0x3F)); };
  if (c < 0x80) {
    put(c);
  } else if (c < 0x800) {
    put(0xC0 | (c >> 6));
    rest(0);
  } else {  // no capital is beyond U+FFFF
    put(0xE0 | (c >> 12));
    rest(6);
    rest(0);
  }
}
}  // namespace

char32_t code_point(std::string_view character) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(character[i]); };
  if (character.size() == 1) return byte(0);
  char32_t c = byte(0) & (0xFFU >> (character.size() + 1));
  for (std::size_t i = 1; i < character.size(); ++i) c = (c << 6) | (byte(i) & 0x3F);
  return c;
}

std::string lower_case(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    std::size_t bytes = 1;
    while (bytes < text.size() && (static_cast<unsigned char>(text[bytes]) & 0xC0) == 0x80) ++bytes;
    const std::string_view character = text.substr(0, bytes);
    const char32_t c = code_point(character);
    const char32_t small = lower(c);
    if (small == c) {
      out += character;
    } else {
      append(small, out);
    }
    text.remove_prefix(bytes);
  }
  return out;
}

}  // namespace rwa::formats

// src/formats/parse.h: parses words and numbers in text files, independent of the locale.
#pragma once

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>

namespace rwa::formats {

inline constexpr std::string_view kBlanks = " \t";

inline std::string_view without_blanks_at_end(std::string_view text) {
  return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

inline std::string_view trimmed(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  return without_blanks_at_end(text);
}

// Takes the first word off a text, with the blanks around it.
inline std::string_view next_word(std::string_view& text) {
  text = trimmed(text);
  const std::string_view word = text.substr(0, text.find_first_of(kBlanks));
  text = trimmed(text.substr(word.size()));
  return word;
}

// Compares ASCII letters without case.
inline bool same_letters(std::string_view a, std::string_view b) {
  return std::ranges::equal(
      a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

// Parses a whole number of at least 1. Empty for anything else.
inline std::optional<int> parse_count(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 1) return {};
  return number;
}

enum class Number {
  kRead,
  kMissing,   // only blanks, or ?, NA, N/A, #N/A, NaN, null, None in any case
  kTooLarge,  // for a float: 1e400, inf
  kNone,      // not a number
};

// Replaces a decimal comma by a point. Empty if the text has a point of its own, or no comma.
std::string with_decimal_point(std::string_view text);

// Parses a number; ignores blanks around it. Sets `value` to the number for kRead and to NaN for
// kMissing. Reading a table spends most of its time here.
Number parse_number(std::string_view text, float& value);
// The same for numbers with this decimal mark, '.' or ','.
Number parse_number(std::string_view text, char decimal, float& value);

// The "expected" part of an error message: "a number", or for kTooLarge "a number of at most
// 3.4e38".
std::string_view expected_of(Number number);

}  // namespace rwa::formats

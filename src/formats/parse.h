// src/formats/parse.h: words and numbers in the text of a file, as people write them, whatever the
// locale.
#pragma once

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
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

// Takes the first word off a text, and the blanks around it.
inline std::string_view next_word(std::string_view& text) {
  text = trimmed(text);
  const std::string_view word = text.substr(0, text.find_first_of(kBlanks));
  text = trimmed(text.substr(word.size()));
  return word;
}

// In any case.
inline bool same_letters(std::string_view a, std::string_view b) {
  return std::ranges::equal(
      a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

// A whole number of at least 1; nothing where it is something else.
inline std::optional<int> parse_count(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 1) return {};
  return number;
}

enum class Number {
  kRead,
  kMissing,   // nothing but blanks, ?, NA, NaN, null, in any case
  kTooLarge,  // for a float: 1e400, inf
  kNone,      // something else
};

// Most of the time that reading a table takes is spent here. Blanks around it do not matter.
// `value` is set where it is read, and to NaN where it is missing.
Number parse_number(std::string_view text, float& value);

// What parse_number() would not read, for the message of an error: "a number", or for one that is
// too large "a number of at most 3.4e38".
std::string_view expected_of(Number number);

}  // namespace rwa::formats

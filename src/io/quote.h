// src/io/quote.h: quotes text from a file in messages, so that a malicious file can neither fill
// the screen nor send control sequences to the terminal.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace rwa::io {

inline constexpr std::size_t kLongestExcerpt = 80;  // bytes

// The beginning of a long text.
inline std::string excerpt(std::string text) {
  if (text.size() <= kLongestExcerpt) return text;
  std::size_t end = kLongestExcerpt;
  while ((static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;  // whole UTF-8 characters
  return text.substr(0, end) + "...";
}

// With non-printable characters, quotes and backslashes escaped. A short text of printable
// characters without quotes and backslashes is unchanged, and no other text yields the same result.
inline std::string escape(std::string_view text) {
  // An escaped text is never shorter, so that more than this would be cut off.
  const std::string quoted = fmt::format("{:?}", text.substr(0, 2 * kLongestExcerpt));
  return excerpt(quoted.substr(1, quoted.size() - 2));
}

// The first words of a list, each escaped, for messages: "a, b, … (12 in total)".
inline std::string listed(const std::vector<std::string>& words, std::size_t most = 10,
                          std::string_view separator = ", ") {
  std::string text;
  for (std::size_t i = 0; i < std::min(most, words.size()); ++i) {
    text += fmt::format("{}{}", i == 0 ? "" : separator, escape(words[i]));
  }
  if (words.size() <= most) return text;
  return fmt::format("{}{}… ({} in total)", text, separator, words.size());
}

// In double quotes.
inline std::string quote(std::string_view text) { return '"' + escape(text) + '"'; }

}  // namespace rwa::io

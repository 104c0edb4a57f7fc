// src/io/quote.h: quotes text from a file in messages, so that a malicious file can neither fill
// the screen nor send control sequences to the terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace rwa::io {

// The beginning of a long text.
inline std::string excerpt(std::string text) {
  constexpr std::size_t kMaxLength = 80;
  if (text.size() <= kMaxLength) return text;
  std::size_t end = kMaxLength;
  while ((static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;  // whole UTF-8 characters
  return text.substr(0, end) + "...";
}

// With non-printable characters, quotes and backslashes escaped. A text of printable characters without quotes and backslashes
// is unchanged, and no other text yields the same result.
inline std::string escape(std::string_view text) {
  const std::string quoted = fmt::format("{:?}", text);
  return excerpt(quoted.substr(1, quoted.size() - 2));
}

// In double quotes.
inline std::string quote(std::string_view text) { return '"' + escape(text) + '"'; }

}  // namespace rwa::io

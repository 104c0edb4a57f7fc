// src/io/quote.h: text found in a file, for a message: a hostile file must neither fill the user's
// screen nor send commands to the terminal.
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

// In double quotes, with whatever is not printable escaped.
inline std::string quote(std::string_view text) { return excerpt(fmt::format("{:?}", text)); }

// As quote(), for messages with quotes of their own. Only a text of printable characters without
// quotes and backslashes comes out as itself, and no other comes out as such a text.
inline std::string escape(std::string_view text) {
  const std::string quoted = fmt::format("{:?}", text);
  return excerpt(quoted.substr(1, quoted.size() - 2));
}

}  // namespace rwa::io

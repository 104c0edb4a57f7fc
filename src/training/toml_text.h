// src/training/toml_text.h: single values as TOML has them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace rwa::training {

inline std::string toml_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      (out += '\\') += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      out += fmt::format("\\u{:04X}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  return out + '"';
}

inline std::string toml_texts(const std::vector<std::string>& texts) {
  std::string out;
  for (const std::string& text : texts) out += (out.empty() ? "" : ", ") + toml_text(text);
  return "[" + out + "]";
}

// Shortest that reads back as the same bits; with a point, so that TOML knows it as a float.
inline std::string toml_number(double value) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}

}  // namespace rwa::training

#include "report/text.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace rwa::report {

std::string one_line(std::string_view text) {
  // The JSON library knows what is UTF-8: through it and back.
  using Json = nlohmann::json;
  const std::string valid = Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string line = Json::parse(valid).get<std::string>();
  std::ranges::replace_if(
      line, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }, ' ');
  return line;
}

std::size_t character_count(std::string_view text) {
  // Every byte but those that continue a character.
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string with_thousands(std::string digits) {
  const std::size_t first = digits.starts_with('-') ? 1 : 0;
  for (std::size_t place = digits.size(); place > first + 3;) digits.insert(place -= 3, ",");
  return digits;
}

std::string escape_html(std::string_view text) {
  std::string html;
  for (const char c : one_line(text)) {
    switch (c) {
      case '&':
        html += "&amp;";
        break;
      case '<':
        html += "&lt;";
        break;
      case '>':
        html += "&gt;";
        break;
      case '"':
        html += "&quot;";
        break;
      case '\'':
        html += "&#39;";
        break;
      default:
        html += c;
    }
  }
  return html;
}

}  // namespace rwa::report

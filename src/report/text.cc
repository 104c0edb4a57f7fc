#include "report/text.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace rwa::report {

std::string one_line(std::string_view text) {
  // A round trip through the JSON library replaces invalid UTF-8.
  using Json = nlohmann::json;
  const std::string valid = Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string line = Json::parse(valid).get<std::string>();
  std::ranges::replace_if(
      line, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }, ' ');
  return line;
}

std::size_t character_count(std::string_view text) {
  // Counts all bytes except continuation bytes.
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
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

std::string in_percent(double share, int decimals) {
  return fmt::format("{:.{}f} %", 100 * share, decimals);
}

std::string abbreviated(std::vector<std::string> words) {
  constexpr std::size_t kMost = 6;
  const bool is_long = words.size() > kMost;
  if (is_long) words.resize(kMost);
  return fmt::format("{}{}", fmt::join(words, ", "), is_long ? ", …" : "");
}

std::string in_digits(double number, int digits) {
  constexpr double kTooLong = 1e9;
  const double size = std::abs(number);
  if (size >= std::pow(10, digits) && size < kTooLong) return fmt::format("{:.0f}", number);
  return fmt::format("{:.{}g}", number, digits);
}

std::string in_time(double seconds) {
  constexpr double kTooLong = 1000.0 * 24 * 3600;
  if (!(seconds < kTooLong)) return "over 1000 days";
  const auto s = std::llround(std::max(seconds, 0.0));
  if (s == 0) return "under 1s";
  if (s < 60) return fmt::format("{}s", s);
  if (s < 3600) return fmt::format("{}m{:02}s", s / 60, s % 60);
  if (s < 24 * 3600) return fmt::format("{}h{:02}m", s / 3600, s / 60 % 60);
  return fmt::format("{}d{:02}h", s / (24 * 3600), s / 3600 % 24);
}

std::string unit_name(const std::string& unit) { return unit == "mse" ? "MSE" : unit; }

}  // namespace rwa::report

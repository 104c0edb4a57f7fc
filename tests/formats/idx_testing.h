// tests/formats/idx_testing.h: IDX files, right or wrong as asked for.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace rwa::formats {

// A header of these numbers, then the content.
inline std::string idx(std::initializer_list<std::uint32_t> header, std::string_view content) {
  std::string text;
  for (const std::uint32_t number : header) {
    for (const int shift : {24, 16, 8, 0}) text += static_cast<char>(number >> shift & 0xFF);
  }
  return text.append(content);
}

inline constexpr std::uint32_t kImages = 0x803;  // the magic numbers
inline constexpr std::uint32_t kLabels = 0x801;

}  // namespace rwa::formats

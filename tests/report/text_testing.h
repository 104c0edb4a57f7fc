// tests/report/text_testing.h: counts occurrences in a text.
#pragma once

#include <cstddef>
#include <string_view>

namespace rwa::report {

inline std::size_t count(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos;
       at = text.find(part, at + part.size())) {
    ++found;
  }
  return found;
}

inline bool contains(std::string_view text, std::string_view part) { return count(text, part) > 0; }

}  // namespace rwa::report

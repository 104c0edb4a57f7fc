// src/formats/table_dialect.h: what stands between the fields of a table.
#pragma once

#include <cstddef>
#include <string_view>

namespace rwa::formats {

struct Dialect {
  char separator = ',';    // or kByBlanks
  std::size_t fields = 1;  // that most rows have
};

// The separator that divides the first rows most evenly: a tab, a semicolon, a comma, or blanks.
Dialect guess_dialect(std::string_view lines);

}  // namespace rwa::formats

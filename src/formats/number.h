// src/formats/number.h: numbers in text, as people write them, whatever the locale; most of the time that
// reading a table takes is spent here.
#pragma once

#include <optional>
#include <string_view>

namespace rwa::formats {

enum class Number {
  kRead,
  kMissing,   // nothing but blanks, ?, NA, NaN, null, in any case
  kTooLarge,  // for a float: 1e400, inf
  kNone,      // something else
};

// Blanks around it do not matter. `value` is set where it is read, and to NaN where it is missing.
Number parse_number(std::string_view text, float& value);

// What parse_number() would not read, for the message of an error: "a number", or for one that is too
// large "a number of at most 3.4e38".
std::string_view expected_of(Number number);

}  // namespace rwa::formats

// src/base/counted.h: numbers as people read them, for messages and reports.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace rwa {

// Groups the digits of a whole number: "12000" becomes "12,000".
std::string with_thousands(std::string digits);
std::string in_thousands(std::int64_t number);  // "250,000"

// "1 run", "2,000 runs".
std::string counted(std::integral auto number, std::string_view noun) {
  std::string text = in_thousands(static_cast<std::int64_t>(number)) + ' ';
  return text.append(noun).append(number == 1 ? "" : "s");
}
// "144 steps", "7 to 26 steps".
std::string counted(std::integral auto least, std::integral auto most, std::string_view noun) {
  const std::string up_to = counted(most, noun);
  return least == most ? up_to : in_thousands(static_cast<std::int64_t>(least)) + " to " + up_to;
}

}  // namespace rwa

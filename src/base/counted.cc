#include "base/counted.h"

#include <cstddef>

#include <fmt/format.h>

namespace rwa {

std::string with_thousands(std::string digits) {
  const std::size_t first = digits.starts_with('-') ? 1 : 0;
  for (std::size_t place = digits.size(); place > first + 3;) digits.insert(place -= 3, ",");
  return digits;
}

std::string in_thousands(std::int64_t number) { return with_thousands(fmt::format("{}", number)); }

}  // namespace rwa

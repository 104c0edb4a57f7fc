// src/io/range.h: the values that a number may have, and their words in messages and help.
#pragma once

#include <concepts>
#include <limits>
#include <string>

#include <fmt/format.h>

namespace rwa::io {

// The numbers from `least` to `most`, with or without these two; all finite ones by default.
template <class Number>
struct Range {
  Number least = std::numeric_limits<Number>::lowest();
  Number most = std::numeric_limits<Number>::max();
  bool without_least = false;
  bool without_most = false;

  // False for NaN.
  [[nodiscard]] constexpr bool contains(Number value) const {
    return (without_least ? value > least : value >= least) &&
           (without_most ? value < most : value <= most);
  }
  [[nodiscard]] constexpr bool is_limited() const {
    return least != Range().least || most != Range().most;
  }
};

// "1 to 1000", "more than 0 and less than 1".
template <class Number>
std::string in_words(const Range<Number>& range) {
  if (!range.without_least && !range.without_most) {
    return fmt::format("{} to {}", range.least, range.most);
  }
  return fmt::format("{} {} and {} {}", range.without_least ? "more than" : "at least", range.least,
                     range.without_most ? "less than" : "at most", range.most);
}

// "a whole number from 1 to 1000", "a number of more than 0 and less than 1", "a finite number".
template <class Number>
std::string expected_of(const Range<Number>& range) {
  if constexpr (std::integral<Number>) {
    return "a whole number from " + in_words(range);
  } else {
    if (!range.is_limited()) return "a finite number";
    const bool is_closed = !range.without_least && !range.without_most;
    return (is_closed ? "a number from " : "a number of ") + in_words(range);
  }
}

}  // namespace rwa::io

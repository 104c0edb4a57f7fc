// cli/numbers.h: numbers, times and flags as they are typed. What an option may be stands in its
// help and in the message that refuses it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "io/fields.h"
#include "io/range.h"
#include "io/value.h"

namespace rwa::cli {

// What was typed for a number, or else the text itself, for io::Fields to refuse.
template <class Number>
io::Value::Content typed_number(const std::string& text);
extern template io::Value::Content typed_number<std::int64_t>(const std::string&);
extern template io::Value::Content typed_number<double>(const std::string&);

// The same for true and false, or 1 and 0.
io::Value::Content typed_truth(const std::string& text);

// The type of the numbers in an optional number, or in a list.
template <class T>
struct NumbersIn {
  using Type = T;
};
template <class T>
struct NumbersIn<std::optional<T>> : NumbersIn<T> {};
template <class T>
struct NumbersIn<std::vector<T>> : NumbersIn<T> {};

// Throws ConfigError, naming the option, for what is not a number in the range.
template <class Number>
void read_number(const std::string& option, const std::string& text, const io::Range<Number>& range,
                 Number& value) {
  using Typed = std::conditional_t<std::is_integral_v<Number>, std::int64_t, double>;
  io::Fields fields({{option, {typed_number<Typed>(text), option}}}, {});
  fields(option, value, range);
}
template <class Number>
void read_number(const std::string& option, const std::string& text, const io::Range<Number>& range,
                 std::optional<Number>& value) {
  read_number(option, text, range, value.emplace());
}
// A list: "100,1000".
template <class Number>
void read_number(const std::string& option, const std::string& text, const io::Range<Number>& range,
                 std::vector<Number>& values) {
  values.clear();
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    read_number(option, text.substr(begin, end - begin), range, values.emplace_back());
    begin = end + 1;
  }
}

// Throws ConfigError, naming the option, for what is neither true nor false.
void read_truth(const std::string& option, const std::string& text, bool& value);

// Returns the seconds of a time such as 1h30m. Throws ConfigError, naming the option.
double read_duration(const std::string& option, const std::string& text);

// Ends a help with the range of its number: "Sequences per batch (1 to 100)", "Folds (0: off; 0 to
// 9)".
std::string with_range(const std::string& help, const std::string& range);

}  // namespace rwa::cli

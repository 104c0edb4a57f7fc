#include "numbers.h"

#include <charconv>
#include <system_error>

#include <fmt/format.h>

#include "io/quote.h"
#include "rwa/errors.h"
#include "say.h"
#include "training/settings.h"

namespace rwa::cli {

template <class Number>
io::Value::Content typed_number(const std::string& text) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error == std::errc{} && stop == end) return number;
  return text;
}
template io::Value::Content typed_number<std::int64_t>(const std::string&);
template io::Value::Content typed_number<double>(const std::string&);

io::Value::Content typed_truth(const std::string& text) {
  if (text == "true" || text == "1") return true;
  if (text == "false" || text == "0") return false;
  return text;
}

void read_truth(const std::string& option, const std::string& text, bool& value) {
  io::Fields fields({{option, {typed_truth(text), option}}}, {});
  fields(option, value);
}

double read_duration(const std::string& option, const std::string& text) {
  if (const auto seconds = parse_duration(text)) return *seconds;
  throw ConfigError(fmt::format(
      "{} is {}, expected seconds, or a time such as 9m or 1h30m, of more than 0 and up to {} days",
      option, io::quote(text), training::kMostDays));
}

std::string with_range(const std::string& help, const std::string& range) {
  if (!help.ends_with(')')) return fmt::format("{} ({})", help, range);
  return fmt::format("{}; {})", help.substr(0, help.size() - 1), range);
}

}  // namespace rwa::cli

// src/io/toml.cc: toml++ 3.3 asserts that a table's name begins with a letter. A file with "[." or
// "[[[" violates that and would abort the program or, with NDEBUG, be undefined behaviour. The code
// after the assertion reports such a file correctly. So assertions are compiled out, and must not
// become assumptions.
#undef NDEBUG
#define TOML_ASSERT(expression) static_assert(true)
#include "io/toml.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include "rwa/errors.h"

namespace rwa::io {
namespace {

std::string place_of(const toml::source_region& region, std::string_view origin) {
  return fmt::format("{}:{}:{}", origin, region.begin.line, region.begin.column);
}

Value::Table table_from_toml(const toml::table& table, std::string_view origin);

Value::Content content_from_toml(const toml::node& node, std::string_view origin) {
  if (const auto* value = node.as_boolean()) return value->get();
  if (const auto* value = node.as_integer()) return value->get();
  if (const auto* value = node.as_floating_point()) return value->get();
  if (const auto* value = node.as_string()) return value->get();
  if (const auto* table = node.as_table()) return table_from_toml(*table, origin);
  if (const auto* array = node.as_array()) {
    Value::Array values;
    for (const toml::node& item : *array) {
      values.push_back({content_from_toml(item, origin), place_of(item.source(), origin)});
    }
    return values;
  }
  return Value::Other{};
}

Value::Table table_from_toml(const toml::table& table, std::string_view origin) {
  Value::Table fields;
  for (const auto& [key, node] : table) {
    fields.push_back({std::string(key.str()),
                      {content_from_toml(node, origin), place_of(node.source(), origin)},
                      place_of(key.source(), origin)});
  }
  return fields;
}

std::string in_quotes(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      (out += '\\') += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      out += fmt::format("\\u{:04X}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  return out + '"';
}

}  // namespace

Value::Table parse_toml(std::string_view text, std::string_view origin) try {
  return table_from_toml(toml::parse(text), origin);
} catch (const toml::parse_error& error) {
  // The description quotes names from the file, so escape it; its length is already limited.
  const std::string reason = fmt::format("{:?}", error.description());
  throw ConfigError(fmt::format("{}: invalid TOML: {}", place_of(error.source(), origin),
                                reason.substr(1, reason.size() - 2)));
}

std::string to_toml(const Value& value) {
  if (const auto* truth = value.get<bool>()) return *truth ? "true" : "false";
  if (const auto* number = value.get<std::int64_t>()) return fmt::format("{}", *number);
  if (const auto* number = value.get<double>()) return float_text(*number);
  if (const auto* text = value.get<std::string>()) return in_quotes(*text);
  std::string items;
  for (const Value& item : std::get<Value::Array>(value.content)) {
    items += (items.empty() ? "" : ", ") + to_toml(item);
  }
  return "[" + items + "]";
}

}  // namespace rwa::io

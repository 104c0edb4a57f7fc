#include "io/value.h"

#include <cstdlib>
#include <new>

#include <fmt/format.h>
#include <simdjson.h>

#include "io/quote.h"
#include "rwa/errors.h"

namespace rwa::io {
namespace {

using simdjson::dom::element_type;

Value from_json(const simdjson::dom::element& element);

Value::Table table_from_json(const simdjson::dom::object& object) {
  Value::Table table;
  for (const auto& field : object)
    table.push_back({std::string(field.key), from_json(field.value)});
  return table;
}

template <class T>
T content_of(const simdjson::dom::element& element) {
  T content{};
  if (element.get(content) != simdjson::SUCCESS) std::abort();  // its type has been checked
  return content;
}

Value from_json(const simdjson::dom::element& element) {
  switch (element.type()) {
    case element_type::BOOL:
      return {content_of<bool>(element)};
    case element_type::INT64:
      return {content_of<std::int64_t>(element)};
    case element_type::UINT64:
      return {content_of<std::uint64_t>(element)};
    case element_type::DOUBLE:
      return {content_of<double>(element)};
    case element_type::STRING:
      return {std::string(content_of<std::string_view>(element))};
    case element_type::ARRAY: {
      Value::Array values;
      const auto array = content_of<simdjson::dom::array>(element);
      for (const auto& item : array) values.push_back(from_json(item));
      return {std::move(values)};
    }
    case element_type::OBJECT:
      return {table_from_json(content_of<simdjson::dom::object>(element))};
    case element_type::NULL_VALUE:
      break;
  }
  return {};
}

}  // namespace

std::string float_text(double value) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}

std::string in_message(const Value& value) {
  struct Words {
    std::string operator()(std::nullptr_t) const { return "null"; }
    std::string operator()(bool truth) const { return truth ? "true" : "false"; }
    std::string operator()(std::int64_t number) const { return fmt::format("{}", number); }
    std::string operator()(std::uint64_t number) const { return fmt::format("{}", number); }
    std::string operator()(double number) const { return float_text(number); }
    std::string operator()(const std::string& text) const { return quote(text); }
    std::string operator()(const Value::Array&) const { return "an array"; }
    std::string operator()(const Value::Table&) const { return "a table"; }
    std::string operator()(Value::Other) const { return "a date or time"; }
  };
  return std::visit(Words{}, value.content);
}

void refuse_config(const std::string& message) { throw ConfigError(message); }
void refuse_input(const std::string& message) { throw InputError(message); }
void refuse_model_file(const std::string& message) { throw ModelFileError(message); }

Value::Table parse_json(std::string_view text, std::string_view origin, Refuse refuse) {
  simdjson::dom::parser parser;
  simdjson::dom::object object;
  const auto error = parser.parse(text.data(), text.size()).get(object);
  if (error == simdjson::MEMALLOC) throw std::bad_alloc();
  if (error != simdjson::SUCCESS) {
    refuse(fmt::format("{}: found {}, expected a JSON object: {}", origin, quote(text),
                       simdjson::error_message(error)));
  }
  return table_from_json(object);
}

}  // namespace rwa::io

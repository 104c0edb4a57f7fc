// src/io/json_fields.h: the fields of a JSON object in a model's file, each of which must be there once
// and of its type, and nothing else.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <map>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <simdjson.h>

#include "io/quote.h"
#include "rwa/errors.h"

namespace rwa::io {

// Valid as long as the parser is, and until it parses another text. Throws ModelFileError, which says
// that `what` is not a JSON object.
inline simdjson::dom::object parse_object(simdjson::dom::parser& parser, std::string_view text,
                                          std::string_view what) {
  simdjson::dom::object object;
  const auto error = parser.parse(text.data(), text.size()).get(object);
  if (error == simdjson::MEMALLOC) throw std::bad_alloc();
  if (error != simdjson::SUCCESS) {
    throw ModelFileError(
        fmt::format("{} is not a JSON object: {}", what, simdjson::error_message(error)));
  }
  return object;
}

// Takes one field after the other. `where` begins every message.
class FieldReader {
 public:
  FieldReader(const simdjson::dom::object& json, std::string where) : where_(std::move(where)) {
    for (const auto& field : json) {
      if (!fields_.emplace(field.key, field.value).second) {
        fail("the field {} stands twice", quote(field.key));
      }
    }
  }

  template <std::integral Whole>
  void operator()(std::string_view name, Whole& value) {
    constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<Whole>::max());
    std::uint64_t found = 0;
    if (take(name).get(found) != simdjson::SUCCESS || found > kMost) {
      fail("{} is not a whole number from 0 to {}", quote(name), kMost);
    }
    value = static_cast<Whole>(found);
  }
  void operator()(std::string_view name, bool& value) { get(name, value, "true or false"); }
  void operator()(std::string_view name, double& value) { get(name, value, "a number"); }
  void operator()(std::string_view name, std::string& value) {
    std::string_view text;
    get(name, text, kText);
    value = text;
  }
  void operator()(std::string_view name, std::vector<double>& values) {
    list<double>(name, values, "an array of numbers");
  }
  void operator()(std::string_view name, std::vector<std::string>& values) {
    list<std::string_view>(name, values, "an array of texts");
  }
  // One of the names of the enumeration.
  template <class Enum>
  void operator()(std::string_view name, Enum& value, Enum (*parse)(std::string_view)) {
    value = named(name, take(name), parse);
  }
  // The same, or null.
  template <class Enum>
  void operator()(std::string_view name, std::optional<Enum>& value,
                  Enum (*parse)(std::string_view)) {
    const simdjson::dom::element found = take(name);
    value = found.is_null() ? std::nullopt : std::optional(named(name, found, parse));
  }
  simdjson::dom::array array(std::string_view name) {
    simdjson::dom::array value;
    get(name, value, "an array");
    return value;
  }
  // The fields of an object in this one.
  FieldReader object(std::string_view name) {
    simdjson::dom::object value;
    get(name, value, "an object");
    return {value, fmt::format("{}, in {}", where_, quote(name))};
  }
  void finish() const {
    if (!fields_.empty()) fail("the field {} is unknown", quote(fields_.begin()->first));
  }

  template <typename... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> text, Args&&... args) const {
    throw ModelFileError(where_ + ", " + fmt::format(text, std::forward<Args>(args)...));
  }

 private:
  static constexpr std::string_view kText = "a text";

  simdjson::dom::element take(std::string_view name) {
    const auto found = fields_.find(name);
    if (found == fields_.end()) fail("the field {} is missing", quote(name));
    const simdjson::dom::element value = found->second;
    fields_.erase(found);
    return value;
  }
  template <class T>
  void get(std::string_view name, T& value, std::string_view expected) {
    if (take(name).get(value) != simdjson::SUCCESS) fail("{} is not {}", quote(name), expected);
  }
  template <class Enum>
  Enum named(std::string_view name, simdjson::dom::element found,
             Enum (*parse)(std::string_view)) const {
    std::string_view text;
    if (found.get(text) != simdjson::SUCCESS) fail("{} is not {}", quote(name), kText);
    try {
      return parse(escape(text));  // it goes into the message; a known name is its own escape
    } catch (const ConfigError& error) {
      fail("{}", error.what());
    }
  }
  template <class Found, class T>
  void list(std::string_view name, std::vector<T>& values, std::string_view expected) {
    values.clear();
    for (const simdjson::dom::element element : array(name)) {
      Found value;
      if (element.get(value) != simdjson::SUCCESS) fail("{} is not {}", quote(name), expected);
      values.emplace_back(value);
    }
  }

  std::map<std::string_view, simdjson::dom::element> fields_;
  std::string where_;
};

}  // namespace rwa::io

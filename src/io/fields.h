// src/io/fields.h: reads named, typed values from a file or a caller. Each field is read once;
// finish() refuses unknown ones.
//
//   Fields fields(parse_json(text, "a layer"), {.where = "a layer", .refuse = refuse_config});
//   fields("units", config.units, 1);   // a whole number from 1
//   fields("share", share, {.least = 0, .most = 1});
//   fields("cell", config.cell);        // one of the names of an enumeration
//   fields.finish();
//
// An enumeration needs an overload from_name(std::string_view, Enum&) in its namespace.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/nearest.h"
#include "io/quote.h"
#include "io/range.h"
#include "io/value.h"
#include "rwa/errors.h"

namespace rwa::io {

struct FieldsOptions {
  std::string where = {};  // prefix of messages about a value without a place
  Refuse refuse = refuse_config;
  bool required = false;  // a missing field is an error; otherwise the value stays unchanged
  std::string_view noun = "field";  // what messages call a field: "key", "option"
  std::string table = {};           // name of the table, if nested
};

class Fields {
 public:
  Fields(Value::Table table, FieldsOptions options)
      : rest_(std::move(table)), options_(std::move(options)) {
    std::set<std::string_view> names;
    for (const Field& field : rest_) {
      if (names.insert(field.name).second) continue;
      refuse(field.place, fmt::format("the {} {} appears twice", options_.noun, quote(field.name)));
    }
  }

  void operator()(std::string_view name, bool& value) { take(name, value, "true or false"); }
  void operator()(std::string_view name, std::string& value) { take(name, value, kText); }
  // A text that must be valid.
  void operator()(std::string_view name, std::string& value, bool (*is_valid)(std::string_view),
                  std::string_view expected) {
    const auto found = take(name, expected);
    if (!found) return;
    const auto* text = found->get<std::string>();
    if (text == nullptr || !is_valid(*text)) refuse_value(name, *found, expected);
    value = *text;
  }
  template <std::integral Whole>
  void operator()(std::string_view name, Whole& value, std::type_identity_t<Whole> least) {
    (*this)(name, value, Range<Whole>{.least = least});
  }
  template <class Number>
  requires std::is_arithmetic_v<Number>
  void operator()(std::string_view name, Number& value, const Range<Number>& range = {}) {
    const std::string expected = expected_of(range);
    const auto found = take(name, expected);
    if (!found) return;
    const std::optional<Number> number = as<Number>(*found);
    if (!number || !range.contains(*number)) refuse_value(name, *found, expected);
    value = *number;
  }
  template <class Enum>
  requires std::is_enum_v<Enum>
  void operator()(std::string_view name, Enum& value) {
    const auto found = take(name, kText);
    if (!found) return;
    const auto* text = found->template get<std::string>();
    if (text == nullptr) refuse_value(name, *found, kText);
    try {
      from_name(escape(*text), value);  // escaped for the message; known names are unaffected
    } catch (const ConfigError& error) {
      refuse(found->place, error.what());
    }
  }
  template <class T>
  void operator()(std::string_view name, std::vector<T>& values) {
    constexpr std::string_view kExpected = std::integral<T>          ? "an array of whole numbers"
                                           : std::is_arithmetic_v<T> ? "an array of numbers"
                                                                     : "an array of strings";
    const auto found = take(name, kExpected);
    if (!found) return;
    const auto* array = found->template get<Value::Array>();
    if (array == nullptr) refuse_value(name, *found, kExpected);
    values.clear();
    for (const Value& item : *array) values.push_back(element<T>(name, item, kExpected));
  }
  // A null is allowed.
  template <class T>
  void operator()(std::string_view name, std::optional<T>& value,
                  const std::same_as<Range<T>> auto&... range) {
    if (!has(name)) {
      if (!find(name) && options_.required) refuse_missing(name);
      return;
    }
    T found{};
    (*this)(name, found, range...);
    value = std::move(found);
  }

  // Returns the value of a field. Empty if it is missing.
  template <class T>
  std::optional<T> get(std::string_view name) {
    std::optional<T> value;
    (*this)(name, value);
    return value;
  }
  // Returns the value of a required field; `least` is the minimum of a whole number.
  template <class T>
  T need(std::string_view name, std::same_as<int> auto... least) {
    require(name);
    T value{};
    (*this)(name, value, least...);
    return value;
  }
  // Returns parse(text) of a required string; `parse` may throw ConfigError.
  template <class Parse>
  auto need_as(std::string_view name, Parse parse) {
    require(name);
    const auto found = take(name, kText);
    const auto* text = found->template get<std::string>();
    if (text == nullptr) refuse_value(name, *found, kText);
    try {
      return parse(*text);
    } catch (const ConfigError& error) {
      refuse(found->place, fmt::format("{}: {}", name, error.what()));
    }
  }

  // Whether the field is present, not read yet, and not null.
  [[nodiscard]] bool has(std::string_view name) const {
    for (const Field& field : rest_) {
      if (field.name == name) return field.value.get<std::nullptr_t>() == nullptr;
    }
    return false;
  }
  // Returns a nested table. Empty if it is missing and not required.
  Fields table(std::string_view name) {
    FieldsOptions inner = options_;
    inner.table = name;
    const auto found = take(name, "a table");
    if (!found) return {{}, std::move(inner)};
    const auto* table = found->get<Value::Table>();
    if (table == nullptr) refuse_value(name, *found, fmt::format("a table, [{}]", name));
    if (!found->place.empty()) inner.where = found->place;
    return {*table, std::move(inner)};
  }
  // Returns a list of nested tables.
  std::vector<Fields> tables(std::string_view name) {
    std::vector<Fields> all;
    const auto found = take(name, "a list of tables");
    if (!found) return all;
    const auto* array = found->get<Value::Array>();
    if (array == nullptr) refuse_value(name, *found, "a list of tables");
    for (const Value& item : *array) {
      const auto* table = item.get<Value::Table>();
      if (table == nullptr) refuse_value(name, item, "a table");
      FieldsOptions inner = options_;
      inner.table = fmt::format("{} {}", name, all.size() + 1);
      if (!item.place.empty()) inner.where = item.place;
      all.emplace_back(*table, std::move(inner));
    }
    return all;
  }
  // Fields not read yet.
  [[nodiscard]] Value::Table& rest() { return rest_; }

  void require(std::string_view name) const {
    if (!has(name)) refuse_missing(name);
  }
  // Adds a name that is read elsewhere, to suggest it for an unknown field.
  void know(std::string name) { known_.push_back(std::move(name)); }
  // Refuses a field that was not read, and suggests the nearest known name.
  void finish() const {
    if (rest_.empty()) return;
    const Field& field = rest_.front();
    refuse(field.place, fmt::format("unknown {} '{}'{}{}", options_.noun, escape(field.name),
                                    in_table(), suggestion(field.name, known_)));
  }

  [[noreturn]] void fail(const std::string& message) const {
    refuse("", options_.table.empty() ? message : fmt::format("[{}]: {}", options_.table, message));
  }
  [[noreturn]] void refuse_value(std::string_view name, const Value& found,
                                 std::string_view expected) const {
    const std::string what = fmt::format("is {}, expected {}", in_message(found), expected);
    if (is_option(found.place)) refuse("", fmt::format("{} {}", found.place, what));
    refuse(found.place, fmt::format("{} {}", name, what));
  }

 private:
  static constexpr std::string_view kText = "a string";

  // Empty if the value is not a number of this type.
  template <class Number>
  static std::optional<Number> as(const Value& value) {
    const auto converted = [](auto number) -> std::optional<Number> {
      if constexpr (std::integral<Number>) {
        if (!std::in_range<Number>(number)) return std::nullopt;
      }
      return static_cast<Number>(number);
    };
    if (const auto* number = value.get<std::int64_t>()) return converted(*number);
    if (const auto* number = value.get<std::uint64_t>()) return converted(*number);
    if constexpr (std::floating_point<Number>) {
      if (const auto* number = value.get<double>()) return converted(*number);
    }
    return std::nullopt;
  }
  template <class T>
  T element(std::string_view name, const Value& item, std::string_view expected) const {
    if constexpr (std::is_arithmetic_v<T>) {
      const std::optional<T> number = as<T>(item);
      if (!number) refuse_value(name, item, expected);
      return *number;
    } else {
      const auto* text = item.get<std::string>();
      if (text == nullptr) refuse_value(name, item, expected);
      return *text;
    }
  }
  template <class T>
  void take(std::string_view name, T& value, std::string_view expected) {
    const auto found = take(name, expected);
    if (!found) return;
    const T* content = found->template get<T>();
    if (content == nullptr) refuse_value(name, *found, expected);
    value = *content;
  }
  // Empty if the field is missing or null and not required.
  std::optional<Value> take(std::string_view name, std::string_view expected) {
    std::optional<Value> found = find(name);
    if (found && found->get<std::nullptr_t>() == nullptr) return found;
    if (options_.required && !found) refuse_missing(name);
    if (options_.required) refuse_value(name, *found, expected);
    return std::nullopt;
  }
  [[noreturn]] void refuse_missing(std::string_view name) const {
    refuse("", fmt::format("the {} '{}' is missing{}", options_.noun, name, in_table()));
  }
  std::optional<Value> find(std::string_view name) {
    known_.emplace_back(name);
    for (auto field = rest_.begin(); field != rest_.end(); ++field) {
      if (field->name != name) continue;
      Value value = std::move(field->value);
      rest_.erase(field);
      return value;
    }
    return std::nullopt;
  }

  [[nodiscard]] std::string in_table() const {
    return options_.table.empty() ? "" : fmt::format(" in [{}]", options_.table);
  }
  [[noreturn]] void refuse(const std::string& place, const std::string& message) const {
    const std::string& where = place.empty() ? options_.where : place;
    options_.refuse(where.empty() ? message : fmt::format("{}: {}", where, message));
    std::abort();  // refuse() throws
  }

  Value::Table rest_;
  std::vector<std::string> known_;
  FieldsOptions options_;
};

}  // namespace rwa::io

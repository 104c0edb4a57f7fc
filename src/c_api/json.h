// src/c_api/json.h: options as JSON on their way in, and what comes back as JSON.
//
//   OptionReader options(text, "the options of a session");
//   options("threads", o.threads);  // left alone where it is not given
//   options("memory", o.memory, parse_memory);
//   options.finish();
#pragma once

#include <fmt/format.h>
#include <simdjson.h>

#include <concepts>
#include <cstdint>
#include <limits>
#include <map>
#include <new>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/nearest.h"
#include "c_api/guard.h"
#include "io/quote.h"
#include "rwa/errors.h"

namespace rwa::c_api {

// Takes one field after the other, each of which may be missing: then, and where it is null, the
// value stays what it was, the default of its struct. Throws ConfigError for a field of another
// type.
class OptionReader {
 public:
  // NULL is an object without fields. `what` begins every message.
  OptionReader(const char* text, std::string what) : what_(std::move(what)) {
    const std::string_view json = text == nullptr ? "{}" : text;
    simdjson::dom::object object;
    const auto error = parser_.parse(json.data(), json.size()).get(object);
    if (error == simdjson::MEMALLOC) throw std::bad_alloc();
    if (error != simdjson::SUCCESS) {
      fail("found {}, expected a JSON object: {}", io::quote(json), simdjson::error_message(error));
    }
    for (const auto& field : object) {
      if (!fields_.emplace(field.key, field.value).second) {
        fail("the field {} stands twice", io::quote(field.key));
      }
    }
  }

  void operator()(std::string_view name, bool& value) { get(name, value, "true or false"); }
  void operator()(std::string_view name, double& value) { get(name, value, "a number"); }
  void operator()(std::string_view name, std::string& value) {
    std::string_view text = value;
    get(name, text, kText);
    value = std::string(text);
  }
  template <std::integral Whole>
  void operator()(std::string_view name, Whole& value) {
    const auto found = take(name);
    if (!found) return;
    std::int64_t small = 0;
    std::uint64_t large = 0;
    if (found->get(small) == simdjson::SUCCESS && std::in_range<Whole>(small)) {
      value = static_cast<Whole>(small);
    } else if (found->get(large) == simdjson::SUCCESS && std::in_range<Whole>(large)) {
      value = static_cast<Whole>(large);
    } else {
      using Limits = std::numeric_limits<Whole>;
      refuse(name, *found,
             fmt::format("a whole number from {} to {}", Limits::min(), Limits::max()));
    }
  }
  // One of the names of an enumeration; `parse` throws ConfigError for any other.
  template <class Enum>
  void operator()(std::string_view name, Enum& value, Enum (*parse)(std::string_view)) {
    std::optional<std::string> text;
    (*this)(name, text);
    if (text) value = parse(io::escape(*text));  // a known name is its own escape
  }
  template <class T>
  void operator()(std::string_view name, std::optional<T>& value) {
    if (!has(name)) return note(name);
    T found = value.value_or(T{});
    (*this)(name, found);
    value = std::move(found);
  }
  template <class T>
  void operator()(std::string_view name, std::vector<T>& values) {
    constexpr std::string_view kExpected =
        std::is_arithmetic_v<T> ? "an array of numbers" : "an array of texts";
    using Found = std::conditional_t<std::is_arithmetic_v<T>, T, std::string_view>;
    const auto found = take(name);
    if (!found) return;
    simdjson::dom::array array;
    if (found->get(array) != simdjson::SUCCESS) refuse(name, *found, kExpected);
    values.clear();
    for (const simdjson::dom::element element : array) {
      Found value;
      if (element.get(value) != simdjson::SUCCESS) refuse(name, *found, kExpected);
      values.emplace_back(value);
    }
  }

  // Whether the field is there, not null, and nobody has asked for it.
  [[nodiscard]] bool has(std::string_view name) const {
    const auto found = fields_.find(name);
    return found != fields_.end() && !found->second.is_null();
  }

  // Throws ConfigError for a field that nobody has asked for, with the one that was meant.
  void finish() const {
    if (fields_.empty()) return;
    const std::string name = io::escape(fields_.begin()->first);
    fail("unknown option '{}'{}", name, suggestion(name, known_));
  }

  template <typename... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> text, Args&&... args) const {
    throw ConfigError(what_ + ": " + fmt::format(text, std::forward<Args>(args)...));
  }

 private:
  static constexpr std::string_view kText = "a text";

  void note(std::string_view name) { known_.emplace_back(name); }

  std::optional<simdjson::dom::element> take(std::string_view name) {
    note(name);
    const auto found = fields_.find(name);
    if (found == fields_.end()) return std::nullopt;
    const simdjson::dom::element value = found->second;
    fields_.erase(found);
    return value.is_null() ? std::nullopt : std::optional(value);
  }
  template <class T>
  void get(std::string_view name, T& value, std::string_view expected) {
    const auto found = take(name);
    if (found && found->get(value) != simdjson::SUCCESS) refuse(name, *found, expected);
  }
  [[noreturn]] void refuse(std::string_view name, simdjson::dom::element found,
                           std::string_view expected) const {
    fail("{} is {}, expected {}", name, io::excerpt(simdjson::minify(found)), expected);
  }

  simdjson::dom::parser parser_;
  std::map<std::string_view, simdjson::dom::element> fields_;
  std::vector<std::string> known_;
  std::string what_;
};

// As keep(). What is not UTF-8, which names in people's files may not be, is replaced.
inline const char* keep_json(const nlohmann::ordered_json& json) {
  return keep(json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

}  // namespace rwa::c_api

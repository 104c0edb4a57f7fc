// src/training/json_fields.h: the fields of a JSON object that anyone may have altered, each with its
// type. Fields that nobody asks for are left alone: a later version may have more.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <simdjson.h>

#include "io/quote.h"
#include "rwa/errors.h"

namespace rwa::training {

class JsonFields {
 public:
  // `origin` begins every message. Throws InputError for text that is not a JSON object.
  JsonFields(std::string_view text, std::string origin) : origin_(std::move(origin)) {
    const auto error = parser_.parse(text.data(), text.size()).get(object_);
    if (error == simdjson::MEMALLOC) throw std::bad_alloc();
    if (error != simdjson::SUCCESS) {
      fail("found {}, expected a JSON object: {}", io::quote(text), simdjson::error_message(error));
    }
  }

  [[nodiscard]] bool has(std::string_view path) const {
    return object_.at_pointer(path).error() == simdjson::SUCCESS;
  }

  // `path` is a JSON pointer, "/machine/cores". Each throws InputError where there is no such field
  // or it is of another type.
  [[nodiscard]] double number(std::string_view path) const { return get<double>(path, "a number"); }
  [[nodiscard]] std::int64_t count(std::string_view path) const {
    const auto value = get<std::int64_t>(path, "a whole number");
    if (value < 0) fail("{} is {}, expected 0 or more", path.substr(1), value);
    return value;
  }
  [[nodiscard]] std::string text(std::string_view path) const {
    return std::string(get<std::string_view>(path, "a text"));
  }

  template <typename... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> text, Args&&... args) const {
    throw InputError(origin_ + ": " + fmt::format(text, std::forward<Args>(args)...));
  }

 private:
  template <class T>
  T get(std::string_view path, std::string_view expected) const {
    T value{};
    const auto error = object_.at_pointer(path).get(value);
    if (error == simdjson::NO_SUCH_FIELD) {
      fail("{} is missing, expected {}", path.substr(1), expected);
    }
    if (error != simdjson::SUCCESS) fail("{} is not {}", path.substr(1), expected);
    return value;
  }

  std::string origin_;
  simdjson::dom::parser parser_;
  simdjson::dom::object object_;
};

}  // namespace rwa::training

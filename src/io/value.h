// src/io/value.h: a value from JSON, TOML or a caller, with its position.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace rwa::io {

struct Field;

struct Value {
  struct Other {};  // dates and times, in TOML only
  using Array = std::vector<Value>;
  using Table = std::vector<Field>;
  // Whole numbers are unsigned only if they do not fit into the signed type.
  using Content = std::variant<std::nullptr_t, bool, std::int64_t, std::uint64_t, double,
                               std::string, Array, Table, Other>;

  Content content;         // null at first; an initializer here would need the complete Field
  std::string place = {};  // for messages: "grammar.toml:3:16", "--units"; empty: unknown

  template <class T>
  [[nodiscard]] const T* get() const {
    return std::get_if<T>(&content);
  }
};

struct Field {
  std::string name;
  Value value;
  std::string place = {};  // of the name
};

// Whether a place is an option of the program, such as "--units", which names the value as well.
inline bool is_option(std::string_view place) { return place.starts_with("--"); }

// The shortest text that reads back as the same bits, with a point so that it is not an integer.
std::string float_text(double value);
// Abbreviated for messages: "abc", 3, an array, a table.
std::string in_message(const Value& value);

// Throws the reader's kind of error.
using Refuse = void (*)(const std::string& message);
[[noreturn]] void refuse_config(const std::string& message);      // ConfigError
[[noreturn]] void refuse_input(const std::string& message);       // InputError
[[noreturn]] void refuse_model_file(const std::string& message);  // ModelFileError

// Refuses a text that is not a JSON object, with a message that begins with `origin`.
Value::Table parse_json(std::string_view text, std::string_view origin,
                        Refuse refuse = refuse_config);

}  // namespace rwa::io

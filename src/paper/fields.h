// src/paper/fields.h: the values of a table of a TOML file, each taken out once; whatever is left at
// the end is a mistake. Throws ConfigError with file, line, table and key.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "rwa/errors.h"
#include "training/toml.h"

namespace rwa::paper {

class Fields {
 public:
  // `name` is that of the table, for messages; the whole file has none.
  Fields(toml::table table, std::string_view origin, std::string name = "")
      : place_(table.source()), table_(std::move(table)), origin_(origin), name_(std::move(name)) {}
  // A copy would not know where its values stand in the file.
  Fields(const Fields&) = delete;
  Fields& operator=(const Fields&) = delete;
  Fields(Fields&&) = default;
  Fields& operator=(Fields&&) = default;
  ~Fields() = default;

  template <class T>
  std::optional<T> take(std::string_view key) {
    const toml::node* node = table_.get(key);
    if (node == nullptr) return std::nullopt;
    std::optional<T> value = node->value<T>();
    if (!value) fail(node->source(), fmt::format("'{}' is of another type", key));
    table_.erase(key);
    return value;
  }

  template <class T>
  T require(std::string_view key) {
    std::optional<T> value = take<T>(key);
    if (!value) fail(place_, fmt::format("'{}' is missing", key));
    return *std::move(value);
  }

  // What `parse` makes of a text.
  template <class Parse>
  auto require_as(std::string_view key, Parse parse) {
    const toml::source_region place = has(key) ? table_.get(key)->source() : place_;
    const auto text = require<std::string>(key);
    try {
      return parse(text);
    } catch (const ConfigError& error) {
      fail(place, fmt::format("'{}': {}", key, error.what()));
    }
  }

  [[nodiscard]] bool has(std::string_view key) const { return table_.contains(key); }

  std::optional<Fields> take_table(std::string_view key) {
    toml::node* node = table_.get(key);
    if (node == nullptr) return std::nullopt;
    if (!node->is_table()) fail(node->source(), fmt::format("'{}' is no table", key));
    Fields fields(std::move(*node->as_table()), origin_, within(key));
    table_.erase(key);
    return fields;
  }

  std::vector<Fields> take_tables(std::string_view key) {
    std::vector<Fields> all;
    toml::node* node = table_.get(key);
    if (node == nullptr) return all;
    if (!node->is_array()) fail(node->source(), fmt::format("'{}' is no list of tables", key));
    for (toml::node& item : *node->as_array()) {
      if (!item.is_table()) fail(item.source(), fmt::format("'{}' is no list of tables", key));
      all.emplace_back(std::move(*item.as_table()), origin_,
                       fmt::format("{} {}", within(key), all.size() + 1));
    }
    table_.erase(key);
    return all;
  }

  // The rest, with its names.
  [[nodiscard]] toml::table& rest() { return table_; }

  void refuse_rest() const {
    if (table_.empty()) return;
    const toml::key& key = table_.begin()->first;
    fail(key.source(), fmt::format("'{}' is unknown", key.str()));
  }

  [[noreturn]] void fail(const std::string& message) const { fail(place_, message); }
  [[noreturn]] void fail(const toml::source_region& place, const std::string& message) const {
    const std::string where = name_.empty() ? "" : name_ + ": ";
    throw ConfigError(fmt::format("{}:{}: {}{}", origin_, place.begin.line, where, message));
  }

 private:
  [[nodiscard]] std::string within(std::string_view key) const {
    return name_.empty() ? std::string(key) : fmt::format("{}: {}", name_, key);
  }

  toml::source_region place_;
  toml::table table_;
  std::string origin_;
  std::string name_;
};

}  // namespace rwa::paper

// src/io/toml.h: parses and writes TOML.
#pragma once

#include <string>
#include <string_view>

#include "io/value.h"

namespace rwa::io {

// Records the line and column of each value. Throws ConfigError with `origin`, line and column for
// invalid TOML.
Value::Table parse_toml(std::string_view text, std::string_view origin);

// Formats a boolean, number, string or array so that parse_toml() reads it back.
std::string to_toml(const Value& value);

}  // namespace rwa::io

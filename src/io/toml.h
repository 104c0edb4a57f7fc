// src/io/toml.h: TOML files.
#pragma once

#include <string>
#include <string_view>

#include "io/value.h"

namespace rwa::io {

// Values know their line and column. Throws ConfigError with `origin`, line and column for a text
// that is not TOML.
Value::Table parse_toml(std::string_view text, std::string_view origin);

// A truth, a number, a text or an array of them, as parse_toml() reads it back.
std::string to_toml(const Value& value);

}  // namespace rwa::io

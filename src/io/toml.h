// src/io/toml.h: TOML files.
#pragma once

#include <string_view>

#include "io/value.h"

namespace rwa::io {

// Values know their line and column. Throws ConfigError with `origin`, line and column for a text
// that is not TOML.
Value::Table parse_toml(std::string_view text, std::string_view origin);

}  // namespace rwa::io

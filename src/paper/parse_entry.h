// src/paper/parse_entry.h: one file of paper/ as an entry of the catalogue.
#pragma once

#include <string_view>

#include "io/fields.h"
#include "paper/catalogue.h"

namespace rwa::paper {

// Throws ConfigError, which names `origin`, the line and the key, for whatever is missing, of
// another type or unknown.
Entry parse_entry(std::string_view toml, std::string_view origin);

// The fields of such a file, and of one about a study.
using io::Fields;
Fields parse_fields(std::string_view toml, std::string_view origin);
// What a claim is about: its text, measure and threshold.
Claim parse_measure(Fields& fields);

}  // namespace rwa::paper

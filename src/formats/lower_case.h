// src/formats/lower_case.h: texts in lower case, the same on every machine: no locale is involved.
#pragma once

#include <string>
#include <string_view>

namespace rwa::formats {

// Returns the code point of a valid UTF-8 character.
char32_t code_point(std::string_view character);

// Converts each character of a valid UTF-8 text on its own: Latin, Greek, Cyrillic and Armenian
// letters. Others stay as they are.
std::string lower_case(std::string_view text);

}  // namespace rwa::formats

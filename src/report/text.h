// src/report/text.h: text that may hold anything, made safe for where it goes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace rwa::report {

// Valid UTF-8 on one line: control characters become spaces, bytes that are no character "�".
std::string one_line(std::string_view text);

// Of valid UTF-8; each is taken for one place wide.
std::size_t character_count(std::string_view text);

// The digits of a whole number in groups: 12,000.
std::string with_thousands(std::string digits);

// one_line() as content or attribute of an HTML or SVG element.
std::string escape_html(std::string_view text);

}  // namespace rwa::report

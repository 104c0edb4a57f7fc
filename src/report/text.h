// src/report/text.h: text made safe for where it goes, and numbers as people read them.
#pragma once

#include <cstddef>
#include <cstdint>
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

std::string in_thousands(std::int64_t number);           // "250,000"
std::string in_percent(double share, int decimals = 1);  // "98.1 %"
std::string in_digits(double number, int digits = 3);    // "0.175", "1.73", "2e-06"
std::string in_time(double seconds);                     // "45s", "4m05s", "2h10m", "3d04h"

}  // namespace rwa::report

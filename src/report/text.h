// src/report/text.h: escapes text for its destination and formats numbers for readers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace rwa::report {

// Returns valid UTF-8 on one line: control characters become spaces, invalid bytes "�".
std::string one_line(std::string_view text);

// Counts the characters of valid UTF-8; each is assumed to be one column wide.
std::size_t character_count(std::string_view text);

// Groups the digits of a whole number: 12,000.
std::string with_thousands(std::string digits);

// one_line(), escaped as content or attribute of an HTML or SVG element.
std::string escape_html(std::string_view text);

std::string in_thousands(std::int64_t number);                    // "250,000"
std::string counted(std::int64_t number, std::string_view noun);  // "1 run", "2,000 runs"
std::string in_percent(double share, int decimals = 1);           // "98.1 %"
std::string in_digits(double number, int digits = 3);             // "0.175", "1.73", "2e-06"
std::string in_time(double seconds);  // "45s", "4m05s", "2h10m", "3d04h"

}  // namespace rwa::report

// src/report/text.h: escapes text for its destination and formats numbers for readers.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/counted.h"

namespace rwa::report {

// Returns valid UTF-8 on one line: control characters become spaces, invalid bytes "�".
std::string one_line(std::string_view text);

// Counts the characters of valid UTF-8; each is assumed to be one column wide.
std::size_t character_count(std::string_view text);

// one_line(), escaped as content or attribute of an HTML or SVG element.
std::string escape_html(std::string_view text);

// "a, b, c, …": the first six of a list.
std::string abbreviated(std::vector<std::string> words);

using rwa::counted;
using rwa::in_thousands;
using rwa::with_thousands;
std::string in_percent(double share, int decimals = 1);  // "98.1 %"
// "0.175", "1.73", "2e-06", "173458": at least this many significant digits, unless they are zeros.
std::string in_digits(double number, int digits = 3);
std::string in_time(double seconds);             // "under 1s", "45s", "4m05s", "2h10m", "3d04h"
std::string unit_name(const std::string& unit);  // "MSE" for the "mse" of metrics; "bits"

}  // namespace rwa::report

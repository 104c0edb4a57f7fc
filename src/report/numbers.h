// src/report/numbers.h: numbers as people read them.
#pragma once

#include <cstdint>
#include <string>

namespace rwa::report {

std::string in_thousands(std::int64_t number);           // "250,000"
std::string in_percent(double share, int decimals = 1);  // "98.1 %"
std::string in_digits(double number, int digits = 3);    // "0.175", "1.73", "2e-06"
std::string in_time(double seconds);                     // "45s", "4m05s", "2h10m", "3d04h"

}  // namespace rwa::report

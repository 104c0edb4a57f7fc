// include/rwa/version.h
#pragma once

#include <string_view>

#include "rwa/export.h"

namespace rwa {

// Of the library that runs, such as "0.1.0".
RWA_EXPORT std::string_view version();
// The instruction set that the CPU backend uses on this machine: baseline, sse4, avx2 or avx512.
// RWA_CPU forces one.
RWA_EXPORT std::string_view instruction_set();

}  // namespace rwa

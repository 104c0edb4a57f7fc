// include/rwa/version.h: the version of the library and the instruction set in use.
#pragma once

#include <string_view>

#include "rwa/export.h"

namespace rwa {

// Returns the version of the loaded library, such as "0.2.0".
RWA_EXPORT std::string_view version();
// Returns the instruction set that the CPU backend uses: baseline, sse4, avx2 or avx512. The
// environment variable RWA_CPU selects another one.
RWA_EXPORT std::string_view instruction_set();

}  // namespace rwa

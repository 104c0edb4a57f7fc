// src/training/build.cc: RWA_COMMIT comes from the build.
#include "training/build.h"

namespace rwa::training {

std::string_view commit() { return RWA_COMMIT; }

// GCC gives its number alone, others their name too.
std::string compiler() {
  const std::string version = __VERSION__;
  return version.front() >= '0' && version.front() <= '9' ? "GCC " + version : version;
}

}  // namespace rwa::training

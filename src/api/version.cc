#include "rwa/version.h"

#include <string>

#include "backend/device.h"

namespace rwa {

std::string_view version() { return RWA_VERSION; }

std::string_view instruction_set() {
  static const std::string name = cpu_instruction_set();
  return name;
}

}  // namespace rwa

#include "targets.h"

#include <algorithm>

namespace rwa::fuzz {

const Target* find_target(std::string_view name) {
  for (const auto targets : {readers(), files()}) {
    const auto found = std::ranges::find(targets, name, &Target::name);
    if (found != targets.end()) return &*found;
  }
  return nullptr;
}

}  // namespace rwa::fuzz

// include/rwa/device.h: where a session can run.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rwa/export.h"

namespace rwa {

struct DeviceInfo {
  std::string name;         // as SessionOptions::device takes it: "cpu", "cuda:0"
  std::string description;  // "NVIDIA H200"; empty for the CPU
};

// Those of this machine that this build can use, the CPU first.
RWA_EXPORT std::vector<DeviceInfo> devices();

// Throws ConfigError, which says what there is, unless the name is that of one of devices();
// "cuda" is "cuda:0".
RWA_EXPORT void check_device(std::string_view name);

}  // namespace rwa

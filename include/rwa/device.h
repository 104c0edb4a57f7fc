// include/rwa/device.h: the devices that sessions, trainers and layers can run on.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rwa/export.h"

namespace rwa {

struct DeviceInfo {
  std::string name;         // for SessionOptions::device: "cpu", "cuda:0"
  std::string description;  // "AMD EPYC …", "NVIDIA H200"
};

// Returns the devices of this machine that this build supports, the CPU first.
RWA_EXPORT std::vector<DeviceInfo> devices();

// Returns the recommended number of threads: the cores available to this process, but at most 8.
// More threads bring no speed-up.
RWA_EXPORT int default_threads();

// Returns the device of this name; "cuda" is "cuda:0". Throws ConfigError, listing the available
// devices, if the name is unknown.
RWA_EXPORT DeviceInfo find_device(std::string_view name);

}  // namespace rwa

// include/rwa/device.h: where a session can run.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rwa/export.h"

namespace rwa {

struct DeviceInfo {
  std::string name;         // as SessionOptions::device takes it: "cpu", "cuda:0"
  std::string description;  // "AMD EPYC …", "NVIDIA H200"
};

// Those of this machine that this build can use, the CPU first.
RWA_EXPORT std::vector<DeviceInfo> devices();

// How many threads to use where nobody has said it: the cores that this process may use, at most 8,
// more than which bring nothing.
RWA_EXPORT int default_threads();

// The one of that name; "cuda" is "cuda:0". Throws ConfigError, which says what there is, where it
// is none of devices().
RWA_EXPORT DeviceInfo find_device(std::string_view name);

}  // namespace rwa

// src/bench/device.h: what is measured on.
#pragma once

#include <string>

namespace rwa::bench {

// What people call it: "AMD EPYC", "NVIDIA H200". Throws ConfigError, as rwa::find_device() does,
// when there is no such device. Call it while this process has a single thread.
std::string describe_device(const std::string& name);

}  // namespace rwa::bench

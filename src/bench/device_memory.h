// src/bench/device_memory.h: how much memory of the GPU a piece of work holds.
#pragma once

#include <cstdint>

namespace rwa::bench {

// Of the GPU that this thread uses; 0 where it uses none.
std::int64_t free_device_bytes();

}  // namespace rwa::bench

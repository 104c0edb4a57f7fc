// src/bench/device.h: what is measured on: its name, its free memory, and the floors of a GPU,
// below which no recurrent kernel can go.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace rwa::bench {

// What people call it: "AMD EPYC", "NVIDIA H200". Throws ConfigError, as rwa::find_device() does,
// when there is no such device. Call it while this process has a single thread.
std::string describe_device(const std::string& name);

// Of the GPU that this thread uses; 0 where it uses none.
std::int64_t free_device_bytes();

// Measured by a helper program.
struct Floors {
  double cluster_barrier_us = 0;  // of 8 blocks
  double all_gather_us = 0;       // 1 KB from each of 8 blocks to all of them
  double grid_sync_us = 0;        // of as many blocks as there are multiprocessors
  double copy_tb_per_s = 0;       // read and written
};

// Nothing when it cannot be measured, and `say` was told why.
std::optional<Floors> measure_floors(const std::string& device, double limit_seconds,
                                     const std::function<void(const std::string&)>& say);

// Such as "floors of this GPU: cluster barrier 0.21 µs, …".
std::string to_text(const Floors& floors);

}  // namespace rwa::bench

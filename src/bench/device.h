// src/bench/device.h: the device under test: its name, its free memory, and the limits (floors) of
// a GPU that no recurrent kernel can beat.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace rwa::bench {

// Returns the product name, such as "AMD EPYC" or "NVIDIA H200". Throws ConfigError, as
// rwa::find_device() does, if there is no such device. Call it while this process has a single
// thread.
std::string describe_device(const std::string& name);

// Free memory of the GPU that this thread uses; 0 if it uses none.
std::int64_t free_device_bytes();

// Measured by a helper program.
struct Floors {
  double cluster_barrier_us = 0;  // of 8 blocks
  double all_gather_us = 0;       // 1 KB from each of 8 blocks to all of them
  double grid_sync_us = 0;        // one block per multiprocessor
  double copy_tb_per_s = 0;       // read and written
};

// Empty if they cannot be measured; `say` then gets the reason.
std::optional<Floors> measure_floors(const std::string& device, double limit_seconds,
                                     const std::function<void(const std::string&)>& say);

// For example "limits of this GPU: barrier over a cluster of 8 blocks 0.21 µs, …".
std::string to_text(const Floors& floors);

}  // namespace rwa::bench

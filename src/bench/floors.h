// src/bench/floors.h: what no recurrent kernel on a GPU can go below, measured by a helper program.
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace rwa::bench {

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

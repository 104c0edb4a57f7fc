// src/backend/device.h: from the name of a device to its backend.
#pragma once

#include <memory>
#include <string_view>

#include "backend/backend.h"

namespace rwa {

// More sessions on one GPU are a mistake, not a wish.
inline constexpr int kMostShare = 64;

// device: "cpu", "cuda" or "cuda:N"; threads are for the CPU, share (see SessionOptions) for a GPU.
// Throws ConfigError for another name, a GPU that is not there, or a share that is not 1 to
// kMostShare.
std::unique_ptr<Backend<float>> make_backend(std::string_view device, int threads, int share);

// Whether the device computes in the host's memory.
[[nodiscard]] constexpr bool is_host(std::string_view device) { return device == "cpu"; }

}  // namespace rwa

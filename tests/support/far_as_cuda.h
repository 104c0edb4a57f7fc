// tests/support/far_as_cuda.h: makes "cuda" a device that every machine has: it has its own memory
// and computes on the CPU.
#pragma once

#include <memory>
#include <string>

#include "backend/device.h"
#include "support/far_backend.h"

namespace rwa {

std::unique_ptr<Backend<float>> make_cuda_backend(int, int) {
  return std::make_unique<far::FarBackend>();
}
int cuda_devices() { return 1; }
std::string why_no_cuda() { return {}; }
std::string cuda_device_name(int) { return "far"; }

}  // namespace rwa

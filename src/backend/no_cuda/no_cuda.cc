// src/backend/no_cuda/no_cuda.cc: stands in for the CUDA backend in a build without CUDA.
#include "backend/device.h"
#include "rwa/errors.h"

namespace rwa {

std::unique_ptr<Backend<float>> make_cuda_backend(int, int) { throw ConfigError(why_no_cuda()); }

int cuda_devices() { return 0; }

std::string why_no_cuda() { return "this build has no CUDA backend"; }

std::string cuda_device_name(int) { return {}; }

}  // namespace rwa

// src/backend/cuda/cuda.h: the CUDA backend. A build without CUDA has src/backend/no_cuda instead,
// where all of this throws ConfigError or says that there is nothing.
#pragma once

#include <memory>
#include <string>

#include "backend/backend.h"

namespace rwa {

// number: which GPU, from 0. share: how many backends are meant to run side by side on it; the bits
// of the result do not depend on it. The environment variable RWA_CUDA (persistent, exact, plain)
// asks for a path; see cuda/runtime.h. Throws ConfigError when there is no such GPU, or it cannot
// take that path.
std::unique_ptr<Backend<float>> make_cuda_backend(int number, int share);

// How many GPUs there are; 0 without CUDA.
int cuda_devices();
// Why there are none, in words.
std::string why_no_cuda();
// Such as "NVIDIA H200"; empty where there is none.
std::string cuda_device_name(int number);

}  // namespace rwa

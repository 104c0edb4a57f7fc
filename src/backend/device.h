// src/backend/device.h: the backends, by the name of a device and each by itself.
#pragma once

#include <memory>
#include <string>
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

// The CPU: vectors chosen for the machine, a thread per part of the batch. The same bits for any
// number of threads.
//
// threads: at least 1; more than 8 bring nothing, because a batch is cut into 8 shards.
// The environment variable RWA_CPU (baseline, sse4, avx2, avx512) asks for an instruction set; the
// first backend made decides for the process. Throws ConfigError when the machine lacks it.
std::unique_ptr<Backend<float>> make_cpu_backend(int threads);

// The instruction set in use.
std::string cpu_instruction_set();

// Floating-point operations per second of `threads` threads that do nothing but fused
// multiply-adds.
double cpu_peak_flops(int threads, double seconds);

// CUDA. A build without it has src/backend/no_cuda instead, where all of this throws ConfigError or
// says that there is nothing.
//
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

// The reference: the network in double with plain loops, one thing after the other: the oracle that
// every other backend is compared with. Slow on purpose.
std::unique_ptr<Backend<double>> make_reference_backend();

}  // namespace rwa

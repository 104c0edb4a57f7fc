// src/backend/device.h: factories of the backends, by device name and one by one.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "backend/backend.h"

namespace rwa {

// Limit on the sessions that share one GPU; more are a mistake.
inline constexpr int kMostShare = 64;

// device: "cpu", "cuda" or "cuda:N"; threads is for the CPU, share (see SessionOptions) for a GPU.
// Throws ConfigError for any other name, a missing GPU, or a share outside 1 to kMostShare.
std::unique_ptr<Backend<float>> make_backend(std::string_view device, int threads, int share);

// Whether the device computes in host memory.
[[nodiscard]] constexpr bool is_host(std::string_view device) { return device == "cpu"; }

// The CPU backend: SIMD kernels selected at run time, one thread per part of the batch. The same
// bits for any number of threads.
//
// threads: at least 1; more than 8 gain nothing, because a batch is cut into 8 shards.
// The environment variable RWA_CPU (baseline, sse4, avx2, avx512) selects an instruction set for
// the process; the first backend made reads it. Throws ConfigError if the CPU does not support it.
std::unique_ptr<Backend<float>> make_cpu_backend(int threads);

// The instruction set in use.
std::string cpu_instruction_set();

// Measures the peak: floating-point operations per second of `threads` threads that only run fused
// multiply-adds.
double cpu_peak_flops(int threads, double seconds);

// The CUDA backend. A build without CUDA has src/backend/no_cuda instead, which finds no GPU and
// throws ConfigError.
//
// number: the GPU, from 0. share: how many backends will run on it at once; the bits of the result
// do not depend on it. The environment variable RWA_CUDA (persistent, exact, plain) selects the
// kernels; see cuda/runtime.h. Throws ConfigError if there is no such GPU or it does not support
// those kernels.
std::unique_ptr<Backend<float>> make_cuda_backend(int number, int share);

// Number of GPUs; 0 without CUDA.
int cuda_devices();
// Why there are none, for error messages.
std::string why_no_cuda();
// For example "NVIDIA H200"; empty if there is no such GPU.
std::string cuda_device_name(int number);

// The reference backend: plain sequential loops in double, the oracle for every other backend. Slow
// on purpose.
std::unique_ptr<Backend<double>> make_reference_backend();

}  // namespace rwa

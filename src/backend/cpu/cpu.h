// src/backend/cpu/cpu.h: the CPU backend: vectors chosen for the machine, a thread per part of the
// batch. The same bits for any number of threads.
#pragma once

#include <memory>
#include <string>

#include "backend/backend.h"

namespace rwa {

// threads: at least 1; more than 8 bring nothing, because a batch is cut into 8 shards.
// The environment variable RWA_CPU (baseline, sse4, avx2, avx512) asks for an instruction set; the
// first backend made decides for the process. Throws ConfigError when the machine lacks it.
std::unique_ptr<Backend<float>> make_cpu_backend(int threads);

// The instruction set in use.
std::string cpu_instruction_set();

// Floating-point operations per second of `threads` threads that do nothing but fused
// multiply-adds.
double cpu_peak_flops(int threads, double seconds);

}  // namespace rwa

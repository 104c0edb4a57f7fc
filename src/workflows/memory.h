// src/workflows/memory.h: fits batches of long sequences into memory.
#pragma once

#include <cstddef>

#include "rwa/model.h"

namespace rwa::workflows {

struct BatchFit {
  Memory memory = Memory::kFull;
  int batch = 1;
};

// The largest batch of at most `batch` sequences of `longest` steps that can be trained in `bytes`:
// first keeps less between forward and backward pass, then makes the batch smaller. Throws
// ResourceError, naming the bytes needed and the options that help, if one sequence does not fit.
BatchFit fit_batch(const ModelConfig& config, int longest, int batch, std::size_t bytes);

// The memory that this process may still allocate, on this machine or within its cgroup.
std::size_t available_memory();

}  // namespace rwa::workflows

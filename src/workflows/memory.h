// src/workflows/memory.h: how a batch of long sequences finds room in memory.
#pragma once

#include <cstddef>

#include "rwa/model.h"

namespace rwa::workflows {

struct BatchFit {
  Memory memory = Memory::kFull;
  int batch = 1;
};

// The largest batch, of at most `batch` sequences of at most `longest` steps, whose training fits into
// `bytes`: first less is kept between forward and backward, then the batch is split. Throws
// ResourceError, with the bytes that one sequence needs and the options that help, where none does.
BatchFit fit_batch(const ModelConfig& config, int longest, int batch, std::size_t bytes);

// What this process may still take of the machine's memory, or of what it is confined to (cgroup).
std::size_t available_memory();

}  // namespace rwa::workflows

// src/backend/cuda/graph.h: work that is asked for again and again, as one CUDA graph. Kernels'
// arguments are fixed in it: what changes from batch to batch they read from device memory.
#pragma once

#include <functional>
#include <memory>

#include "backend/backend.h"
#include "backend/cuda/runtime.h"

namespace rwa::cuda {

// The first time the work is done as it is asked for, so that whatever memory it needs is there;
// the second time it is recorded; from then on it is repeated. When `work` throws, nothing is
// recorded and the stream can be used on.
void repeat(const Context& context, std::unique_ptr<Recording>& recording,
            const std::function<void()>& work);

}  // namespace rwa::cuda

// src/backend/cuda/plain.h: a recurrent layer with one kernel per step: any size, any GPU.
#pragma once

#include <memory>

#include "backend/backend.h"
#include "backend/cuda/runtime.h"

namespace rwa::cuda {

// Its weights are cuda::Weights, of which it reads parameters().
std::unique_ptr<RecurrentPass<float>> make_plain_pass(const RecurrentSpec& spec,
                                                      const Context& context);

}  // namespace rwa::cuda

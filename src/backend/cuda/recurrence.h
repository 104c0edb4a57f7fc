// src/backend/cuda/recurrence.h: a recurrent layer on the GPU.
#pragma once

#include <memory>

#include "backend/backend.h"
#include "backend/cuda/runtime.h"

namespace rwa::cuda {

std::unique_ptr<LayerWeights<float>> make_weights(const RecurrentSpec& spec,
                                                  const Context& context);
std::unique_ptr<RecurrentPass<float>> make_pass(const RecurrentSpec& spec, const Context& context);

}  // namespace rwa::cuda

// src/backend/cuda/recurrence.h: a recurrent layer on the GPU.
#pragma once

#include <memory>

#include "backend/backend.h"
#include "backend/cuda/runtime.h"

namespace rwa::cuda {

std::unique_ptr<LayerWeights<float>> make_weights(const RecurrentSpec& spec,
                                                  const Context& context);
// beside: of how many passes that run side by side it is one.
std::unique_ptr<RecurrentPass<float>> make_pass(const RecurrentSpec& spec, const Context& context,
                                                int beside);

}  // namespace rwa::cuda

// src/backend/cpu/recurrence.h: a recurrent layer on the CPU, a strip of the batch per thread.
#pragma once

#include <memory>

#include "backend/backend.h"
#include "backend/cpu/kernels.h"
#include "base/threads.h"

namespace rwa::cpu {

std::unique_ptr<LayerWeights<float>> make_weights(const RecurrentSpec& spec);
// `sums` is backward's workspace, the size of the weights for each shard. Passes that never run at
// once share it.
std::unique_ptr<RecurrentPass<float>> make_pass(const RecurrentSpec& spec, ThreadPool& pool,
                                                Gradients& sums);

}  // namespace rwa::cpu

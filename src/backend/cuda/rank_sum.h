// src/backend/cuda/rank_sum.h: sums over ranks that have a GPU each, formed by NCCL. A build without
// it has src/backend/cuda/no_nccl instead, where it is never there.
#pragma once

#include <memory>

#include "backend/backend.h"
#include "backend/cuda/runtime.h"

namespace rwa::cuda {

// Whether NCCL is on this machine.
bool can_sum_ranks();

// On the context's stream. Throws ResourceError where NCCL cannot connect the ranks.
std::unique_ptr<RankSum<float>> make_rank_sum(const Context& context, Ranks& ranks);

}  // namespace rwa::cuda

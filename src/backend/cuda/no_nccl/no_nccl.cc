// src/backend/cuda/no_nccl/no_nccl.cc: stands in for nccl/ in a build without NCCL.
#include "backend/cuda/training.h"

namespace rwa::cuda {

bool can_sum_ranks() { return false; }

std::unique_ptr<RankSum<float>> make_rank_sum(const Context&, Ranks&) { return nullptr; }

}  // namespace rwa::cuda

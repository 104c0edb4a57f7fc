// src/backend/cuda/training.h: what a training step needs besides its arithmetic: batches on their
// way to the GPU, work that is recorded and repeated, sums over ranks.
#pragma once

#include <functional>
#include <memory>

#include "backend/backend.h"
#include "backend/cuda/runtime.h"

namespace rwa::cuda {

// How batches get to the GPU. A batch, with what cuda/rows.h says of its lengths, is packed into
// one block of pinned memory, crosses over while the GPU still works on earlier ones, and takes
// their place when its turn has come.
//
// There is room for as many steps, of the batch and of its targets, as were asked for since the
// number of sequences last changed, rounded up, so that batches of similar lengths have one shape,
// and few long sequences cost many short ones nothing. Throws ResourceError for a batch of more
// rows than an int counts.
std::unique_ptr<Feed<float>> make_feed(const Context& context);

// Work that is asked for again and again, as one CUDA graph. Kernels' arguments are fixed in it:
// what changes from batch to batch they read from device memory.
//
// The first time the work is done as it is asked for, so that whatever memory it needs is there;
// the second time it is recorded; from then on it is repeated. When `work` throws, nothing is
// recorded and the stream can be used on.
void repeat(const Context& context, std::unique_ptr<Recording>& recording,
            const std::function<void()>& work);

// Sums over ranks that have a GPU each, formed by NCCL. A build without it has
// src/backend/cuda/no_nccl instead, where it is never there.

// Whether NCCL is on this machine.
bool can_sum_ranks();

// On the context's stream. Throws ResourceError where NCCL cannot connect the ranks.
std::unique_ptr<RankSum<float>> make_rank_sum(const Context& context, Ranks& ranks);

}  // namespace rwa::cuda

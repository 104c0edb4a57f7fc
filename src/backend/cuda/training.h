// src/backend/cuda/training.h: what a training step needs besides its arithmetic: copying batches
// to the GPU, replaying work as a CUDA graph, and sums over ranks.
#pragma once

#include <functional>
#include <memory>

#include "backend/backend.h"
#include "backend/cuda/runtime.h"

namespace rwa::cuda {

// Makes a feed that copies batches to the GPU. A batch and its row layout (cuda/rows.h) are packed
// into one block of pinned memory. The copy to the device overlaps with work on earlier batches; a
// copy on the main stream then moves the batch to where kernels read it.
//
// The capacity is the most steps seen since the number of sequences last changed, rounded up, for
// the batch and for its targets. So batches of similar lengths share one shape, and a few long
// sequences do not inflate batches of many short ones. Throws ResourceError if the number of rows
// overflows an int.
std::unique_ptr<Feed<float>> make_feed(const Context& context);

// Runs repeated work as one CUDA graph. The graph freezes kernel arguments, so kernels read what
// changes from batch to batch from device memory.
//
// The first call runs `work` directly, so that it can allocate; the second captures it; later calls
// replay the graph. If `work` throws, nothing is recorded and the stream stays usable.
void repeat(const Context& context, std::unique_ptr<Recording>& recording,
            const std::function<void()>& work);

// Sums over ranks with one GPU each, by NCCL. A build without NCCL compiles
// src/backend/cuda/no_nccl instead.

// Whether NCCL can be loaded on this machine.
bool can_sum_ranks();

// Sums on the context's stream. Throws ResourceError if NCCL cannot connect the ranks.
std::unique_ptr<RankSum<float>> make_rank_sum(const Context& context, Ranks& ranks);

}  // namespace rwa::cuda

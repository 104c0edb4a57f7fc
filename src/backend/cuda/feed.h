// src/backend/cuda/feed.h: how batches get to the GPU. A batch, with what cuda/rows.h says of its
// lengths, is packed into one block of pinned memory, crosses over while the GPU still works on
// earlier ones, and takes their place when its turn has come.
#pragma once

#include <memory>

#include "backend/backend.h"
#include "backend/cuda/runtime.h"

namespace rwa::cuda {

// There is room for as many steps, of the batch and of its targets, as were asked for since the
// number of sequences last changed, rounded up, so that batches of similar lengths have one shape,
// and few long sequences cost many short ones nothing. Throws ResourceError for a batch of more rows
// than an int counts.
std::unique_ptr<Feed<float>> make_feed(const Context& context);

}  // namespace rwa::cuda

// src/workflows/stream_serve.h: streams through a pipe or a terminal.
#pragma once

#include <atomic>

#include "workflows/stream.h"

namespace rwa::workflows {

// Answers each line that comes from descriptor `in` on `out` before more is read, until the input
// ends. Returns false where a signal has set `stop` before. Throws what answer() does, and
// ResourceError.
bool serve(Streams& streams, int in, int out, const std::atomic<bool>& stop);

}  // namespace rwa::workflows

// tests/support/heap.h: what of the heap is in use.
#pragma once

#include <malloc.h>

#include <cstddef>
#include <vector>

namespace rwa::cases {

// Bytes that are reserved now.
inline std::size_t heap_in_use() {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

// Sanitizers have a heap of their own, which these numbers do not see.
inline bool heap_is_counted() {
  const std::size_t before = heap_in_use();
  const std::vector<std::byte> some(1 << 20);
  return heap_in_use() >= before + some.size();
}

}  // namespace rwa::cases

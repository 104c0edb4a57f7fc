// tests/support/heap.h: how much of the heap is in use.
#pragma once

#include <malloc.h>

#include <cstddef>
#include <vector>

namespace rwa::cases {

// Bytes allocated now.
inline std::size_t heap_in_use() {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

// False under sanitizers, whose own heap is not counted.
inline bool heap_is_counted() {
  const std::size_t before = heap_in_use();
  const std::vector<std::byte> some(1 << 20);
  return heap_in_use() >= before + some.size();
}

}  // namespace rwa::cases

// tests/formats/memory_testing.h: the largest request for memory. Replaces operator new of the
// program: to be included by one of its files.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>

namespace rwa::formats {
inline std::atomic<std::size_t> largest = 0;  // request, in bytes, since it was set to 0
}  // namespace rwa::formats

[[gnu::noinline]] void* operator new(std::size_t bytes) {
  rwa::formats::largest = std::max(rwa::formats::largest.load(), bytes);
  void* memory = std::malloc(std::max<std::size_t>(bytes, 1));
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

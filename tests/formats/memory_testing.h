// tests/formats/memory_testing.h: records the largest memory allocation. Replaces the program's
// operator new, so include it in one source file only.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>

namespace rwa::formats {
inline std::atomic<std::size_t> largest = 0;  // allocation in bytes since the last reset
}  // namespace rwa::formats

[[gnu::noinline]] void* operator new(std::size_t bytes) {
  rwa::formats::largest = std::max(rwa::formats::largest.load(), bytes);
  void* memory = std::malloc(std::max<std::size_t>(bytes, 1));
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

#include "backend/host.h"

#include <fmt/format.h>

#include <cstdlib>

#include "rwa/errors.h"

namespace rwa::host {
namespace {
constexpr std::size_t kCacheLine = 64;
}  // namespace

void* allocate(std::size_t bytes) {
  const std::size_t rounded = (bytes + kCacheLine - 1) / kCacheLine * kCacheLine;
  void* memory = std::aligned_alloc(kCacheLine, rounded);
  if (memory == nullptr && rounded > 0) {
    throw ResourceError(fmt::format("cannot allocate {} bytes of memory", rounded));
  }
  return memory;
}

void release(void* memory) noexcept { std::free(memory); }

double mean_scale(const Rows& rows, std::int64_t counted) {
  const std::int64_t count = counted > 0 ? counted : rows.counted();
  return count > 0 ? 1.0 / static_cast<double>(count) : 0.0;
}

}  // namespace rwa::host

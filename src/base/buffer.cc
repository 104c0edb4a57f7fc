#include "base/buffer.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cstdlib>
#include <limits>

#include "rwa/errors.h"

namespace rwa {
namespace {
constexpr std::size_t kCacheLine = 64;
constexpr std::size_t kHugePage = std::size_t{2} << 20;

std::size_t round_up(std::size_t value, std::size_t unit) {
  return (value + unit - 1) / unit * unit;
}
}  // namespace

void Buffer::Free::operator()(float* pointer) const noexcept { std::free(pointer); }

void Buffer::reserve(std::size_t count) {
  if (count <= capacity_) {
    return;
  }
  data_.reset();
  capacity_ = 0;
  if (count > std::numeric_limits<std::size_t>::max() / sizeof(float) - kHugePage) {
    throw ResourceError(fmt::format("cannot allocate memory for {} numbers", count));
  }
  const std::size_t bytes = count * sizeof(float);
  const std::size_t alignment = bytes >= kHugePage ? kHugePage : kCacheLine;
  const std::size_t rounded = round_up(bytes, alignment);
  data_.reset(static_cast<float*>(std::aligned_alloc(alignment, rounded)));
  if (!data_) {
    throw ResourceError(fmt::format("cannot allocate {} bytes of memory", rounded));
  }
  if (alignment == kHugePage) {
    // With 4 KiB pages, a long tape misses the TLB at every row. This is only a hint, so ignore
    // errors.
    (void)madvise(data_.get(), rounded, MADV_HUGEPAGE);
  }
  capacity_ = rounded / sizeof(float);
}

}  // namespace rwa

// tests/datasets/store_memory_test.cc: the memory of a store is bounded, whatever the size of its
// data.
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>

#include <gtest/gtest.h>
#include <malloc.h>

#include "datasets/files_order.h"
#include "datasets/store.h"
#include "io/io_testing.h"
#include "store_testing.h"

namespace {
std::atomic<std::size_t> in_use = 0, peak = 0;  // bytes
}  // namespace

// Counts all allocations of standard containers. Not inlined: GCC 12 would warn of mismatched new
// and delete.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  void* memory = std::malloc(std::max<std::size_t>(bytes, 1));
  if (memory == nullptr) throw std::bad_alloc();
  in_use += ::malloc_usable_size(memory);
  peak = std::max(peak.load(), in_use.load());
  return memory;
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  if (memory != nullptr) in_use -= ::malloc_usable_size(memory);
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  operator delete(memory);
}

namespace rwa::datasets {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

TEST(StoreMemory, StaysBounded) {
  const io::TempFolder folder;
  const std::size_t before = in_use;
  peak = before;
  Store store(folder.path(), kMiB);
  std::size_t bytes = 0;
  std::int64_t count = 0;
  while (bytes < 20 * kMiB) {
    const formats::Sequence sequence = made_sequence(count++, 300);
    bytes += sequence.x.size() * sizeof(float);
    store.append(sequence);
  }
  store.close();
  ASSERT_FALSE(store.in_memory());
  ASSERT_GT(store.blocks(), 80);
  // One epoch in order, then scattered reads.
  const SampleOrder order({&store}, false);
  std::int64_t number = 0;
  formats::Sequence sequence;
  for (std::int64_t place = 0; place < count; ++place) {
    order.draw(1, place, {&number, 1});
    store.read(number, sequence);
  }
  for (std::int64_t i = 0; i < 2000; ++i) store.read(i * 7919 % count, sequence);
  EXPECT_LT(peak - before, 3 * kMiB);
  EXPECT_GT(peak - before, kMiB / 2);
}

}  // namespace
}  // namespace rwa::datasets

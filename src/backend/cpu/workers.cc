#include "backend/cpu/workers.h"

#include <algorithm>

namespace rwa::cpu {

void clear_shards(std::span<Buffer, kShards> shards, int batch, std::size_t count) {
  for (int s = 0; s < kShards; ++s) {
    if (shard_rows(batch, s).size() == 0) continue;
    Buffer& buffer = shards[static_cast<std::size_t>(s)];
    buffer.reserve(count);
    std::fill_n(buffer.data(), count, 0.0f);
  }
}

const float* sum_shards(std::span<Buffer, kShards> shards, int batch, std::size_t count) {
  // The tree, one level at a time: each node's sum goes where its first shard with rows is.
  std::array<float*, kShards> node{};
  for (int s = 0; s < kShards; ++s) {
    const auto at = static_cast<std::size_t>(s);
    node[at] = shard_rows(batch, s).size() > 0 ? shards[at].data() : nullptr;
  }
  for (std::size_t width = 1; width < kShards; width *= 2) {
    for (std::size_t s = 0; s < kShards; s += 2 * width) {
      float* left = node[s];
      const float* right = node[s + width];
      if (left == nullptr) {
        node[s] = node[s + width];
      } else if (right != nullptr) {
        for (std::size_t i = 0; i < count; ++i) left[i] += right[i];
      }
    }
  }
  return node[0];
}

}  // namespace rwa::cpu

// src/base/shards.h: how a batch is cut, and in which order its sums are formed.
// The batch is always cut into 8 contiguous shards. A sum over the batch is formed per shard and
// the eight are added as one fixed binary tree; threads (and ranks) take whole subtrees, so that
// their number changes no bit.
#pragma once

#include <cstddef>
#include <span>

namespace rwa {

inline constexpr int kShards = 8;

struct Range {
  int begin = 0;
  int end = 0;
  [[nodiscard]] int size() const { return end - begin; }
};

// The rows of one shard of a batch.
inline Range shard_rows(int batch, int shard) {
  const auto edge = [&](int s) { return static_cast<int>(static_cast<long>(batch) * s / kShards); };
  return {edge(shard), edge(shard + 1)};
}

// The shards of one of `workers` threads: a subtree, or nothing when there are more threads than
// shards.
inline Range worker_shards(int workers, int worker) {
  Range range{0, kShards};
  while (workers > 1) {
    if (range.size() == 1) {
      return worker == 0 ? range : Range{range.end, range.end};
    }
    const int left = (workers + 1) / 2;
    const int middle = range.begin + range.size() / 2;
    if (worker < left) {
      range.end = middle;
      workers = left;
    } else {
      range.begin = middle;
      worker -= left;
      workers -= left;
    }
  }
  return range;
}

// The sum of eight numbers in the order of the tree.
template <class T>
T tree_sum(std::span<const T, kShards> s) {
  return ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]));
}

}  // namespace rwa

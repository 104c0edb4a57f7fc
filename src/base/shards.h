// src/base/shards.h: how a batch is split, and in which order sums over it are formed.
// The batch is always split into 8 contiguous shards. Sums are formed per shard, and the eight are
// added as one fixed binary tree. Threads (and ranks) take whole subtrees, so that results do not
// depend on their number. A rank holds only the rows of its subtree, split at the same rows as in
// the whole batch.
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

// The split of a whole batch, or of a part that consists of some of its shards. A part counts its
// shards and rows from its own first one.
struct Cut {
  int whole = 0;              // sequences in the whole batch
  int shards = kShards;       // of the whole batch
  Range here = {0, kShards};  // shards of this part, at most kShards

  // Number of shards here, and index of the first row in the whole batch.
  [[nodiscard]] int count() const { return here.size(); }
  [[nodiscard]] int first() const { return edge(here.begin); }
  // The rows of some shards, or of one.
  [[nodiscard]] Range rows(Range some) const {
    return {edge(here.begin + some.begin) - first(), edge(here.begin + some.end) - first()};
  }
  [[nodiscard]] Range rows(int shard) const { return rows(Range{shard, shard + 1}); }
  [[nodiscard]] int size() const { return rows(Range{0, count()}).end; }

 private:
  [[nodiscard]] int edge(int shard) const {
    return static_cast<int>(static_cast<long>(whole) * shard / shards);
  }
};

// A tree of threads or ranks splits into two; this many are in the left one.
inline int left_half(int workers) { return (workers + 1) / 2; }

// The shards of one of `workers` threads or ranks: a subtree of `range`. May be empty if there are
// more workers than shards.
inline Range worker_shards(int workers, int worker, Range range = {0, kShards}) {
  while (workers > 1) {
    if (range.size() == 1) {
      return worker == 0 ? range : Range{range.end, range.end};
    }
    const int left = left_half(workers);
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

// The part of a batch that one of `ranks` holds: a subtree of the eight shards. With more ranks
// than shards, each splits its even share into eight shards.
inline Cut rank_cut(int whole, int ranks, int rank) {
  if (ranks <= kShards) return {whole, kShards, worker_shards(ranks, rank)};
  return {whole, kShards * ranks, {kShards * rank, kShards * (rank + 1)}};
}

// Sums the leaves of a tree or subtree in its order. Their number must be a power of two.
template <class T>
T tree_sum(std::span<const T> leaves) {
  if (leaves.size() == 1) return leaves.front();
  const std::size_t half = leaves.size() / 2;
  return tree_sum(leaves.first(half)) + tree_sum(leaves.subspan(half));
}

}  // namespace rwa

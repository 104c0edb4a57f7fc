// src/base/shards.h: how a batch is cut, and in which order its sums are formed.
// The batch is always cut into 8 contiguous shards. A sum over the batch is formed per shard and
// the eight are added as one fixed binary tree; threads (and ranks) take whole subtrees, so that
// their number changes no bit. A rank has the rows of its subtree alone, which it cuts where the
// whole batch is cut.
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

// Where a batch is cut: a whole one, or a part of it that has some of its shards. A part counts its
// shards and its rows from its own first one.
struct Cut {
  int whole = 0;              // sequences in the whole batch
  int shards = kShards;       // of the whole batch
  Range here = {0, kShards};  // those of this part, at most kShards

  // How many shards there are here, and the place of the first row in the whole.
  [[nodiscard]] int count() const { return here.size(); }
  [[nodiscard]] int first() const { return edge(here.begin); }
  // The rows of some shards, and of one.
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

// A tree of threads or ranks falls into two; so many of them are on its left.
inline int left_half(int workers) { return (workers + 1) / 2; }

// The shards of one of `workers` threads or ranks: a subtree of `range`, or nothing when there are
// more of them than shards.
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

// What one of `ranks` has of a batch: a subtree of the eight shards. Where there are more ranks than
// shards, each cuts its even share into eight shards of its own.
inline Cut rank_cut(int whole, int ranks, int rank) {
  if (ranks <= kShards) return {whole, kShards, worker_shards(ranks, rank)};
  return {whole, kShards * ranks, {kShards * rank, kShards * (rank + 1)}};
}

// The sum of the numbers of a tree or subtree, which are a power of two, in its order.
template <class T>
T tree_sum(std::span<const T> leaves) {
  if (leaves.size() == 1) return leaves.front();
  const std::size_t half = leaves.size() / 2;
  return tree_sum(leaves.first(half)) + tree_sum(leaves.subspan(half));
}

}  // namespace rwa

// src/backend/cpu/workers.h: which thread works on which part of a batch, and how the sums are
// combined.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "base/buffer.h"
#include "base/shards.h"
#include "base/threads.h"

namespace rwa::cpu {

// Runs f(worker, shards) on every thread whose shards hold sequences. If there is only one, runs on
// the caller's thread: a stream would take longer to wake another thread than for its step.
template <class F>
void run_workers(ThreadPool& pool, const Cut& cut, F&& f) {
  const auto shards_of = [&](int worker) {
    return worker_shards(pool.size(), worker, {0, cut.count()});
  };
  const auto has_rows = [&](int worker) { return cut.rows(shards_of(worker)).size() > 0; };
  int busy = 0;
  int last = 0;
  for (int worker = 0; worker < pool.size(); ++worker) {
    if (!has_rows(worker)) continue;
    ++busy;
    last = worker;
  }
  if (busy == 1) {
    f(last, shards_of(last));
  } else if (busy > 1) {
    pool.run([&](int worker) {
      if (has_rows(worker)) f(worker, shards_of(worker));
    });
  }
}

// Runs f(range) on parts of 0 … count-1, one per thread.
template <class F>
void run_parts(ThreadPool& pool, int count, F&& f) {
  const int parts = std::min(pool.size(), count);
  if (parts <= 1) {
    f(Range{0, count});
    return;
  }
  const auto edge = [&](int part) { return static_cast<int>(long{count} * part / parts); };
  pool.run([&](int worker) {
    if (worker < parts) f(Range{edge(worker), edge(worker + 1)});
  });
}

// Sums over a batch: one buffer per shard that has rows, added in the order of the tree of
// base/shards.h. Each worker clears and adds its own shards; total() adds the rest of the tree.
class ShardSums {
 public:
  void prepare(const Cut& cut, std::size_t count);
  // Called by each worker for its shards.
  void clear(Range shards);
  void add(Range shards);

  [[nodiscard]] float* shard(int s) { return buffers_[static_cast<std::size_t>(s)].data(); }

  // The sum over the batch, once `workers` threads have added their shards.
  [[nodiscard]] const float* total(int workers);

 private:
  // The buffer with a subtree's sum, that of its first shard with rows; null if none has any.
  [[nodiscard]] float* node(Range shards);
  void add_halves(Range shards);
  void finish(Range shards, int workers);

  std::array<Buffer, kShards> buffers_;
  Cut cut_;
  std::size_t count_ = 0;
};

}  // namespace rwa::cpu

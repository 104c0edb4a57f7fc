// src/backend/cpu/workers.h: who works on which part of a batch, and how their sums come together.
#pragma once

#include <array>
#include <span>

#include "base/buffer.h"
#include "base/shards.h"
#include "base/threads.h"

namespace rwa::cpu {

// Runs f(worker, shards) for every thread whose shards hold sequences. One alone runs on the caller's thread: a
// stream would spend more time on waking another than on its step.
template <class F>
void run_workers(ThreadPool& pool, int batch, F&& f) {
  const auto shards_of = [&](int worker) { return worker_shards(pool.size(), worker); };
  const auto has_rows = [&](int worker) {
    const Range s = shards_of(worker);
    return s.size() > 0 && shard_rows(batch, s.begin).begin < shard_rows(batch, s.end - 1).end;
  };
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

// One buffer of `count` numbers per shard that has rows, set to zero.
void clear_shards(std::span<Buffer, kShards> shards, int batch, std::size_t count);

// Leaves the sum over the shards, in the order of the tree, in the buffer it returns. Shards without rows are zero.
const float* sum_shards(std::span<Buffer, kShards> shards, int batch, std::size_t count);

}  // namespace rwa::cpu

#include "backend/cpu/workers.h"

#include <algorithm>

namespace rwa::cpu {

void ShardSums::prepare(const Cut& cut, std::size_t count) {
  cut_ = cut;
  count_ = count;
}

void ShardSums::clear(Range shards) {
  for (int s = shards.begin; s < shards.end; ++s) {
    if (cut_.rows(s).size() == 0) continue;
    buffers_[static_cast<std::size_t>(s)].reserve(count_);
    std::fill_n(shard(s), count_, 0.0f);
  }
}

float* ShardSums::node(Range shards) {
  for (int s = shards.begin; s < shards.end; ++s) {
    if (cut_.rows(s).size() > 0) return shard(s);
  }
  return nullptr;
}

void ShardSums::add_halves(Range shards) {
  const int middle = shards.begin + shards.size() / 2;
  float* left = node({shards.begin, middle});
  const float* right = node({middle, shards.end});
  if (left == nullptr || right == nullptr) return;
  for (std::size_t i = 0; i < count_; ++i) left[i] += right[i];
}

void ShardSums::add(Range shards) {
  if (shards.size() <= 1) return;
  const int middle = shards.begin + shards.size() / 2;
  add({shards.begin, middle});
  add({middle, shards.end});
  add_halves(shards);
}

// Splits the tree like worker_shards(), down to the subtrees that one worker has already added.
void ShardSums::finish(Range shards, int workers) {
  if (workers <= 1 || shards.size() <= 1) return;
  const int middle = shards.begin + shards.size() / 2;
  const int left = (workers + 1) / 2;
  finish({shards.begin, middle}, left);
  finish({middle, shards.end}, workers - left);
  add_halves(shards);
}

const float* ShardSums::total(int workers) {
  const Range all{0, cut_.count()};
  finish(all, workers);
  return node(all);
}

}  // namespace rwa::cpu

// src/backend/cpu/symbol_sums.h: sums over a batch for each of its symbols, a row of numbers for
// each. Only symbols that occur have a row, and each shard has its own: memory follows the batch,
// not the number of symbols. The shards' rows of a symbol are added up as the tree of
// base/shards.h.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "backend/backend.h"
#include "base/buffer.h"
#include "base/shards.h"

namespace rwa::cpu {

class SymbolSums {
 public:
  void prepare(int symbols, std::size_t width);
  // Called by each worker, for its shards: a row of zeros for each of their symbols.
  void clear(Range shards, const Rows& rows, const Symbols& symbols);

  // The sum of one shard for a symbol that occurs there; null where it does not.
  [[nodiscard]] float* row(int shard, std::int32_t symbol);

  // After all have added theirs, and once: the sum over the batch; null where there is none.
  // Threads may ask for different symbols at once.
  [[nodiscard]] const float* total(std::int32_t symbol) { return total(symbol, {0, kShards}); }

 private:
  static constexpr std::int32_t kNone = -1;
  struct Shard {
    std::vector<std::int32_t> place;  // [symbol]: its row, or kNone
    Buffer rows;
  };

  float* total(std::int32_t symbol, Range shards);

  std::array<Shard, kShards> shards_;
  std::size_t width_ = 0;
};

}  // namespace rwa::cpu

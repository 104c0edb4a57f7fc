// src/backend/cpu/symbol_sums.h: sums over a batch, one row of values per symbol. Each shard has
// rows for the symbols that occur in it: their number follows the batch, not the vocabulary. The
// shards' rows of a symbol are added in the order of the tree of base/shards.h.
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
  // Called by each worker for its shards: makes a row of zeros for each symbol in them.
  void clear(Range shards, const Rows& rows, const Symbols& symbols);

  // One shard's sum for a symbol; null if it does not occur there.
  [[nodiscard]] float* row(int shard, std::int32_t symbol);

  // The sum over the batch; null if the symbol does not occur. Adds in place: call it once per
  // symbol, after all workers are done. Threads may take different symbols at once.
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

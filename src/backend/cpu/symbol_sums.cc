#include "backend/cpu/symbol_sums.h"

#include <algorithm>

namespace rwa::cpu {

void SymbolSums::prepare(int symbols, std::size_t width) {
  width_ = width;
  for (Shard& shard : shards_) shard.place.assign(static_cast<std::size_t>(symbols), kNone);
}

void SymbolSums::clear(Range shards, const Sequences<float>& in) {
  for (int s = shards.begin; s < shards.end; ++s) {
    Shard& shard = shards_[static_cast<std::size_t>(s)];
    const Range sequences = shard_rows(in.rows.batch, s);
    std::int32_t count = 0;
    for (int b = sequences.begin; b < sequences.end; ++b) {
      for (int t = 0; t < in.rows.length(b); ++t) {
        const auto symbol = static_cast<std::size_t>(in.symbols[in.rows.index(t, b)]);
        if (shard.place[symbol] == kNone) shard.place[symbol] = count++;
      }
    }
    shard.rows.reserve(static_cast<std::size_t>(count) * width_);
    std::fill_n(shard.rows.data(), static_cast<std::size_t>(count) * width_, 0.0f);
  }
}

float* SymbolSums::row(int shard, std::int32_t symbol) {
  Shard& of = shards_[static_cast<std::size_t>(shard)];
  const std::int32_t place = of.place[static_cast<std::size_t>(symbol)];
  return place == kNone ? nullptr : of.rows.data() + static_cast<std::size_t>(place) * width_;
}

float* SymbolSums::total(std::int32_t symbol, Range shards) {
  if (shards.size() == 1) return row(shards.begin, symbol);
  const int middle = shards.begin + shards.size() / 2;
  float* left = total(symbol, {shards.begin, middle});
  float* right = total(symbol, {middle, shards.end});
  if (left == nullptr) return right;
  for (std::size_t i = 0; right != nullptr && i < width_; ++i) left[i] += right[i];
  return left;
}

}  // namespace rwa::cpu

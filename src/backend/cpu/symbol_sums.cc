#include "backend/cpu/symbol_sums.h"

#include <algorithm>

#include "backend/host_parts.h"

namespace rwa::cpu {

void SymbolSums::prepare(int symbols, std::size_t width) {
  width_ = width;
  for (Shard& shard : shards_) shard.place.assign(static_cast<std::size_t>(symbols), kNone);
}

void SymbolSums::clear(Range shards, const Rows& rows, const Symbols& symbols) {
  for (int s = shards.begin; s < shards.end; ++s) {
    Shard& shard = shards_[static_cast<std::size_t>(s)];
    std::int32_t count = 0;
    host::for_each_row(rows, rows.cut().rows(s), [&](int t, int b) {
      std::int32_t& place = shard.place[host::symbol_at(rows, symbols, t, b)];
      if (place == kNone) place = count++;
    });
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

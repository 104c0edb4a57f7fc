// src/backend/cpu/tile-inl.h: the two matrix products that everything is made of, on tiles that
// stay in registers.
//   multiply   out[r][c] (+)= Σ_k a[r][k] b[k][c]   rows times weights: forward, and dh in backward
//   outer      out[m][c]  +=  Σ_i a[i][m] b[i][c]   gradient of weights: over steps and sequences
// Every element is one chain of multiply-adds in the order of k (or i), whatever the shape of the
// tile: a row on its own has the same bits as in a batch.
#if defined(RWA_BACKEND_CPU_TILE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef RWA_BACKEND_CPU_TILE_INL_H_
#undef RWA_BACKEND_CPU_TILE_INL_H_
#else
#define RWA_BACKEND_CPU_TILE_INL_H_
#endif

#include <algorithm>
#include <array>
#include <utility>

#include <hwy/cache_control.h>

#include "backend/cpu/strip.h"
#include "backend/cpu/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace rwa::cpu::HWY_NAMESPACE {

// Accumulators of a tile; the other registers hold operands. AVX-512 has 32, older sets have 16.
inline constexpr int kAccumulators = HWY_TARGET <= HWY_AVX3 ? 24 : 12;
inline constexpr int kMostRows = kAccumulators / 2;
inline constexpr int kMostPanels = 4;

// The left operand: rows of `length` values.
struct RowOperand {
  const float* first;
  std::size_t stride;
  std::size_t length;
};

// The right operand: P panels, each [k][G][lanes], `panel_stride` apart.
struct PanelOperand {
  const float* first;
  std::size_t panel_stride;
};

// Memory needed right after a product, which prefetches a few lines of it now and then: the tape is
// larger than the caches, and prefetching it all at once would stall.
class Ahead {
 public:
  static constexpr std::size_t kEvery = 64;  // steps of the product

  // `count` lines, `step` floats apart.
  void add(const float* from, std::size_t count, std::size_t step = kLineFloats) {
    if (count > 0 && count_ < kMost) runs_[count_++] = {from, step, count};
  }
  void ask() {
    constexpr int kAtOnce = 20;  // lines; about as many misses as a core keeps in flight
    for (int i = 0; i < kAtOnce && next_ < count_; ++i) {
      Run& run = runs_[next_];
      hwy::Prefetch(run.at);
      run.at += run.step;
      if (--run.count == 0) ++next_;
    }
  }

 private:
  static constexpr std::size_t kMost = 32;
  struct Run {
    const float* at;
    std::size_t step;
    std::size_t count;
  };
  Run runs_[kMost];
  std::size_t count_ = 0;
  std::size_t next_ = 0;
};

// sum[r][c] += left(r) right(c). Holds the shorter side in registers and loads the longer one value
// by value.
template <int R, int C, class Left, class Right>
HWY_INLINE void add_product(Left&& left, Right&& right, Vector (&sum)[R][C]) {
  if constexpr (R < C) {
    Vector v[R];
    HWY_UNROLL(32)
    for (int r = 0; r < R; ++r) v[r] = Vector(left(r));
    HWY_UNROLL(32)
    for (int c = 0; c < C; ++c) {
      const Vector w = right(c);
      HWY_UNROLL(32)
      for (int r = 0; r < R; ++r) sum[r][c] = mul_add(v[r], w, sum[r][c]);
    }
  } else {
    Vector w[C];
    HWY_UNROLL(32)
    for (int c = 0; c < C; ++c) w[c] = right(c);
    HWY_UNROLL(32)
    for (int r = 0; r < R; ++r) {
      const Vector v(left(r));
      HWY_UNROLL(32)
      for (int c = 0; c < C; ++c) sum[r][c] = mul_add(v, w[c], sum[r][c]);
    }
  }
}

// Whether a product overwrites `out` (kNothing) or adds to it (kSum).
enum class Into { kNothing, kSum };

// out is [R][P][G][lanes].
template <int R, int G, int P>
HWY_NOINLINE void multiply_tile(const RowOperand& a, const PanelOperand& b, Into into, Ahead* ahead,
                                float* HWY_RESTRICT out) {
  constexpr int kColumns = P * G;
  Vector sum[R][kColumns];
  if (into == Into::kSum) {
    HWY_UNROLL(32)
    for (int r = 0; r < R; ++r) {
      HWY_UNROLL(32)
      for (int c = 0; c < kColumns; ++c) sum[r][c] = load(out + (r * kColumns + c) * kLanes);
    }
  }
  const float* HWY_RESTRICT weights = b.first;
  const float* row = a.first;
  const std::size_t stride = a.stride;
  for (std::size_t begin = 0; begin < a.length; begin += Ahead::kEvery) {
    if (ahead != nullptr) ahead->ask();
    const std::size_t end = std::min(begin + Ahead::kEvery, a.length);
    for (std::size_t k = begin; k < end; ++k, weights += G * kLanes) {
      add_product<R, kColumns>(
          [&](int r) { return row[r * stride + k]; },
          [&](int c) { return load(weights + (c / G) * b.panel_stride + (c % G) * kLanes); }, sum);
    }
  }
  HWY_UNROLL(32)
  for (int r = 0; r < R; ++r) {
    HWY_UNROLL(32)
    for (int c = 0; c < kColumns; ++c) store(sum[r][c], out + (r * kColumns + c) * kLanes);
  }
}

using MultiplyTile = void (*)(const RowOperand&, const PanelOperand&, Into, Ahead*, float*);

template <int R, int G, int P>
constexpr MultiplyTile multiply_entry() {
  if constexpr (R * G * P <= kAccumulators) {
    return &multiply_tile<R, G, P>;
  } else {
    return nullptr;
  }
}

template <int G>
MultiplyTile multiply_for(int rows, int panels) {
  constexpr auto kTable = []<int... R>(std::integer_sequence<int, R...>) {
    return std::array<std::array<MultiplyTile, 3>, kMostRows>{
        {{multiply_entry<R + 1, G, 1>(), multiply_entry<R + 1, G, 2>(),
          multiply_entry<R + 1, G, 4>()}...}};
  }
  (std::make_integer_sequence<int, kMostRows>());
  return kTable[static_cast<std::size_t>(rows - 1)][static_cast<std::size_t>(panels / 2)];
}

// Cuts `rows` into tiles for products of G vectors per panel: as few tiles as the registers allow,
// of nearly equal height. Tiles of few rows take several panels at once to keep the FMA units busy.
template <int G>
struct Tiling {
  static constexpr int kRows = std::min(kMostRows, kAccumulators / G);
  int rows;
  int tiles;

  explicit Tiling(int total) : rows(total), tiles((total + kRows - 1) / kRows) {}
  [[nodiscard]] int begin(int tile) const {
    return static_cast<int>(std::int64_t{rows} * tile / tiles);
  }
  [[nodiscard]] int panels(int left) const {
    const int tallest = (rows + tiles - 1) / std::max(tiles, 1);
    for (int p = kMostPanels; p > 1; p /= 2) {
      if (p <= left && tallest * G * p <= kAccumulators) return p;
    }
    return 1;
  }
};

// Calls f(panel, panels, row, rows) for every tile of [rows] × [panels]. Rows are the inner loop,
// so that a panel's weights stay in the cache for all of them.
template <int G, class F>
HWY_INLINE void for_each_tile(int rows, int panel_count, F&& f) {
  const Tiling<G> tiling(rows);
  for (int p = 0, width = 0; p < panel_count; p += width) {
    width = tiling.panels(panel_count - p);
    for (int tile = 0; tile < tiling.tiles; ++tile) {
      f(p, width, tiling.begin(tile), tiling.begin(tile + 1) - tiling.begin(tile));
    }
  }
}

// Rows i of both operands, summed in the order of `index`.
struct OuterOperands {
  const float* a;  // + i·a_stride: R consecutive values
  std::size_t a_stride;
  const float* b;  // + i·b_stride: C consecutive vectors
  std::size_t b_stride;
  const std::uint32_t* index;
  std::size_t count;
};

// out is [R][C][lanes].
template <int R, int C>
HWY_NOINLINE void outer_tile(const OuterOperands& in, float* HWY_RESTRICT out) {
  Vector sum[R][C];
  HWY_UNROLL(32)
  for (int r = 0; r < R; ++r) {
    HWY_UNROLL(32)
    for (int c = 0; c < C; ++c) sum[r][c] = load(out + (r * C + c) * kLanes);
  }
  for (std::size_t i = 0; i < in.count; ++i) {
    const float* a = in.a + in.index[i] * in.a_stride;
    const float* b = in.b + in.index[i] * in.b_stride;
    add_product<R, C>([&](int r) { return a[r]; }, [&](int c) { return load(b + c * kLanes); },
                      sum);
  }
  HWY_UNROLL(32)
  for (int r = 0; r < R; ++r) {
    HWY_UNROLL(32)
    for (int c = 0; c < C; ++c) store(sum[r][c], out + (r * C + c) * kLanes);
  }
}

// out [columns][C][lanes] += Σ_i a[i][0 … columns) ⊗ b[i]
template <int C>
void outer(OuterOperands in, int columns, float* out) {
  constexpr auto kTable = []<int... R>(std::integer_sequence<int, R...>) {
    return std::array<void (*)(const OuterOperands&, float*), sizeof...(R)>{
        &outer_tile<R + 1, C>...};
  }
  (std::make_integer_sequence<int, Tiling<C>::kRows>());
  const Tiling<C> tiling(columns);
  const float* a = in.a;
  for (int tile = 0; tile < tiling.tiles; ++tile) {
    const int begin = tiling.begin(tile);
    const int rows = tiling.begin(tile + 1) - begin;
    in.a = a + begin;
    float* const tile_out = out + static_cast<std::size_t>(begin) * C * kLanes;
    // Prefetch the next tile's sums while this one is computed.
    const float* const next = tile_out + static_cast<std::size_t>(rows) * C * kLanes;
    for (std::size_t i = 0; i < Tiling<C>::kRows * C; ++i) hwy::Prefetch(next + i * kLanes);
    kTable[static_cast<std::size_t>(rows - 1)](in, tile_out);
  }
}

}  // namespace rwa::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

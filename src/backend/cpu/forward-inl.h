// src/backend/cpu/forward-inl.h: runs a cell over the rows of a strip, step by step. For every tile
// of rows and panels of units: the pre-activations by one product, then the cell while they are
// still in the L1 cache.
#if defined(RWA_BACKEND_CPU_FORWARD_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef RWA_BACKEND_CPU_FORWARD_INL_H_
#undef RWA_BACKEND_CPU_FORWARD_INL_H_
#else
#define RWA_BACKEND_CPU_FORWARD_INL_H_
#endif

#include <algorithm>
#include <cstring>

#include <hwy/cache_control.h>

#include "backend/backend.h"
#include "backend/cpu/strip.h"
#include "backend/cpu/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace rwa::cpu::HWY_NAMESPACE {

#define RWA_CELL HWY_INLINE
#include "cells/cells-inl.h"
#undef RWA_CELL

// Where the steps of a strip are stored: one after another for backward, or in two alternating
// slots.
struct Slots {
  int first = 0;  // the step in slot 0
  bool keep = true;
  bool save = true;  // write what the cell saves, even if only for this step
  [[nodiscard]] std::size_t rows(int t) const {
    return static_cast<std::size_t>(keep ? t - first : t & 1);
  }
  [[nodiscard]] std::size_t saved(int t) const {
    return static_cast<std::size_t>(keep ? t - first : 0);
  }
};

// Addresses in a strip's buffers.
template <class C>
class View {
 public:
  View(const Geometry& geometry, const Sequences<float>& sequences, Strip& strip, Slots slots)
      : g(geometry), in(sequences), s(strip), at(slots) {}

  // The row of step t: [x_t, 1, h_{t-1}].
  [[nodiscard]] float* row(int t, int r) const {
    return s.tape.data() + (at.rows(t) * s.count() + static_cast<std::size_t>(r)) * g.row_stride;
  }
  [[nodiscard]] float* h_before(int t, int r) const { return row(t, r) + g.x_size(); }
  // What the cell saved at step t.
  [[nodiscard]] float* saved(int t, int panel, int r) const {
    return s.saved.data() + static_cast<std::size_t>(panel) * panel_stride() +
           (at.saved(t) * s.count() + static_cast<std::size_t>(r)) * g.cell_size;
  }
  [[nodiscard]] std::size_t panel_stride() const {
    return static_cast<std::size_t>(s.slots) * s.count() * g.cell_size;
  }
  [[nodiscard]] float* deltas(int t, int r) const {
    return s.deltas.data() +
           (static_cast<std::size_t>(t & 1) * s.count() + static_cast<std::size_t>(r)) *
               g.delta_stride;
  }
  [[nodiscard]] float* state(int panel, int r) const { return cell(s.state, C::kState, panel, r); }
  [[nodiscard]] float* carry(int panel, int r) const { return cell(s.carry, C::kCarry, panel, r); }
  [[nodiscard]] float* memory(int panel, int r) const { return cell(s.memory, 1, panel, r); }
  [[nodiscard]] float* dh(int r) const {
    return s.dh.data() + static_cast<std::size_t>(r) * g.padded_units();
  }
  [[nodiscard]] int active(int t) const { return s.active[static_cast<std::size_t>(t)]; }
  // The row of a [T,B,·] array for step t of row r.
  [[nodiscard]] std::size_t source(int t, int r) const {
    const int step = g.reverse ? s.length[static_cast<std::size_t>(r)] - 1 - t : t;
    return static_cast<std::size_t>(step) * static_cast<std::size_t>(in.rows.batch) + sequence(r);
  }
  [[nodiscard]] std::size_t sequence(int r) const {
    return static_cast<std::size_t>(s.sequence[static_cast<std::size_t>(r)]);
  }

  const Geometry& g;
  const Sequences<float>& in;
  Strip& s;
  Slots at;

 private:
  float* cell(Buffer& buffer, int numbers, int panel, int r) const {
    const auto rows = static_cast<std::size_t>(panel) * s.count() + static_cast<std::size_t>(r);
    return buffer.data() + rows * static_cast<std::size_t>(numbers) * kLanes;
  }
};

template <class C>
void add_saved(const View<C>& v, int t, int panel, int panels, int row, int rows, Ahead& ahead) {
  const std::size_t floats = static_cast<std::size_t>(rows) * v.g.cell_size;
  for (int p = panel; p < panel + panels; ++p) {
    ahead.add(v.saved(t, p, row), (floats + kLineFloats - 1) / kLineFloats);
  }
}

// Room for the pre-activations of one tile.
struct alignas(64) TileBuffer {
  float values[kAccumulators * kLanes];
};

// Writes what the rows' symbols add to G pre-activations from `first` on; nothing for features.
template <int G, class C>
HWY_INLINE Into from_symbols(const View<C>& v, const PackedWeights& w, int first, int t, int panel,
                             int panels, int row, int rows, TileBuffer& out) {
  if (v.g.symbols == 0) return Into::kNothing;
  constexpr std::size_t kPanel = (C::kGates + C::kInputs) * kLanes;
  float* to = out.values;
  for (int r = row; r < row + rows; ++r) {
    const auto symbol = static_cast<std::size_t>(v.in.symbols[v.source(t, r)]);
    const float* from = w.symbols.data() + symbol * v.g.symbol_size() +
                        static_cast<std::size_t>(panel) * kPanel +
                        static_cast<std::size_t>(first) * kLanes;
    for (int p = 0; p < panels; ++p, from += kPanel) to = std::copy_n(from, G * kLanes, to);
  }
  return Into::kSum;
}

// out = rows × weights for G pre-activations of some panels, over the first `length` values.
template <int G>
HWY_INLINE void preactivations(const RowOperand& rows, const float* weights, int panel, int panels,
                               int count, Into into, Ahead* ahead, TileBuffer& out) {
  const std::size_t panel_size = rows.length * G * kLanes;
  multiply_for<G>(count, panels)(
      rows, {weights + static_cast<std::size_t>(panel) * panel_size, panel_size}, into, ahead,
      out.values);
}

// The pre-activations that see x only, if the cell has any. Forward does not keep them: backward
// computes them again.
template <class C>
HWY_INLINE void only_inputs(const View<C>& v, const PackedWeights& w, int t, int panel, int panels,
                            int row, int rows, TileBuffer& out) {
  if constexpr (C::kInputs > 0) {
    const Into into = from_symbols<C::kInputs>(v, w, C::kGates, t, panel, panels, row, rows, out);
    preactivations<C::kInputs>({v.row(t, row), v.g.row_stride, v.g.x_size()},
                               w.forward.data() + v.g.gates_size(), panel, panels, rows, into,
                               nullptr, out);
  }
}

template <int N>
HWY_INLINE void load_all(const float* from, Vector* out) {
  HWY_UNROLL(8)
  for (int i = 0; i < N; ++i) out[i] = load(from + i * kWidth);
}
template <int N>
HWY_INLINE void store_all(const Vector* values, float* to, std::size_t stride = kLanes) {
  HWY_UNROLL(8)
  for (int i = 0; i < N; ++i) store(values[i], to + static_cast<std::size_t>(i) * stride);
}

template <class C>
class Forward {
 public:
  Forward(const Geometry& g, const PackedWeights& weights, const Sequences<float>& in, Strip& strip,
          Slots slots)
      : v_(g, in, strip, slots), w_(weights) {}

  // Runs steps begin … end-1 from the state in the strip and the h in the row of step `begin`.
  void walk(int begin, int end, float* h_every, float* share = nullptr) {
    if (v_.at.keep) keep_memory();
    for (int t = begin; t < end; ++t) {
      const int rows = v_.active(t);
      fill_rows(t, rows);
      for_each_tile<C::kGates>(
          rows, static_cast<int>(v_.g.panels),
          [&](int panel, int panels, int row, int count) { tile(t, panel, panels, row, count); });
      if (h_every != nullptr) copy_h(t, rows, h_every);
      if (share != nullptr) copy_share(t, rows, share);
    }
  }

 private:
  // Writes x_t and 1 in front of h_{t-1}.
  void fill_rows(int t, int rows) {
    const auto D = static_cast<std::size_t>(v_.g.inputs);
    for (int r = 0; r < rows; ++r) {
      float* row = v_.row(t, r);
      if (D > 0) std::copy_n(v_.in.x + v_.source(t, r) * D, D, row);
      row[D] = 1.0f;
    }
  }

  void tile(int t, int panel, int panels, int row, int rows) {
    TileBuffer gates;
    TileBuffer inputs;
    Ahead ahead;
    if (v_.at.keep) add_saved(v_, t, panel, panels, row, rows, ahead);
    const Into into = from_symbols<C::kGates>(v_, w_, 0, t, panel, panels, row, rows, gates);
    preactivations<C::kGates>({v_.row(t, row), v_.g.row_stride, v_.g.row_size}, w_.forward.data(),
                              panel, panels, rows, into, &ahead, gates);
    only_inputs(v_, w_, t, panel, panels, row, rows, inputs);
    for (int p = 0; p < panels; ++p) {
      cells(t, panel + p, row, rows, gates.values + p * C::kGates * kWidth, panels,
            inputs.values + p * C::kInputs * kWidth);
    }
  }

  // The cell for one panel of some rows; gates and only_x are rows of a tile, `panels` wide.
  HWY_INLINE void cells(int t, int panel, int row, int rows, const float* gates, int panels,
                        const float* only_x) {
    float* h = v_.h_before(t + 1, row) + static_cast<std::size_t>(panel) * kLanes;
    float* saved_at = v_.saved(t, panel, row);
    float* state_at = v_.state(panel, row);
    for (int r = 0; r < rows; ++r) {
      Vector pre[C::kGates + C::kInputs];
      Vector state[C::kState];
      Vector saved[C::kSaved];
      load_all<C::kGates>(gates, pre);
      load_all<C::kInputs>(only_x, pre + C::kGates);
      load_all<C::kState>(state_at, state);
      store(C::forward(pre, state, saved), h);
      store_all<C::kState>(state, state_at);
      if (v_.at.save) store_all<C::kSaved>(saved, saved_at);
      gates += panels * C::kGates * kWidth;
      only_x += panels * C::kInputs * kWidth;
      h += v_.g.row_stride;
      saved_at += C::kSaved * kLanes;
      state_at += C::kState * kLanes;
    }
  }

  void copy_h(int t, int rows, float* h_every) {
    const auto H = static_cast<std::size_t>(v_.g.units);
    for (int r = 0; r < rows; ++r) {
      std::copy_n(v_.h_before(t + 1, r), H, h_every + v_.source(t, r) * v_.g.h_stride);
    }
  }

  void copy_share(int t, int rows, float* share) {
    if constexpr (C::kShare >= 0) {
      const auto H = static_cast<std::size_t>(v_.g.units);
      for (int r = 0; r < rows; ++r) {
        float* to = share + v_.source(t, r) * v_.g.h_stride;
        for (std::size_t j = 0; j < H; ++j) {
          to[j] = v_.saved(t, static_cast<int>(j / kLanes), r)[C::kShare * kLanes + j % kLanes];
        }
      }
    }
  }

  void keep_memory() {
    for (int panel = 0; panel < static_cast<int>(v_.g.panels); ++panel) {
      for (int r = 0; r < v_.s.rows(); ++r) store(load(v_.state(panel, r)), v_.memory(panel, r));
    }
  }

  View<C> v_;
  const PackedWeights& w_;
};

}  // namespace rwa::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

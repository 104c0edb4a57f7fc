// src/backend/cpu/forward-inl.h: a cell over the rows of a strip, step after step. For every tile of rows and panels
// of units: the pre-activations by one product, then the cell, while they are in the first-level cache.
#if defined(RWA_BACKEND_CPU_FORWARD_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef RWA_BACKEND_CPU_FORWARD_INL_H_
#undef RWA_BACKEND_CPU_FORWARD_INL_H_
#else
#define RWA_BACKEND_CPU_FORWARD_INL_H_
#endif

#include <algorithm>
#include <cstring>

#include "backend/backend.h"
#include "backend/cpu/strip.h"
#include "backend/cpu/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace rwa::cpu::HWY_NAMESPACE {

#define RWA_CELL HWY_INLINE
#include "cells/cells-inl.h"
#undef RWA_CELL

// Where the steps of a strip lie: one after the other for backward, or in two places by turns.
struct Slots {
  int first = 0;  // the step in slot 0
  bool keep = true;
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
  View(const Geometry& geometry, Strip& strip, Slots slots) : g(geometry), s(strip), at(slots) {}

  // The row of step t: [x_t, 1, h_{t-1}].
  [[nodiscard]] float* row(int t, int r) const {
    return s.tape.data() + (at.rows(t) * s.count() + static_cast<std::size_t>(r)) * g.row_stride;
  }
  [[nodiscard]] float* h_before(int t, int r) const { return row(t, r) + g.x_size(); }
  [[nodiscard]] float* saved(int t, int panel, int r) const {
    return s.saved.data() + panel_stride() * static_cast<std::size_t>(panel) +
           (at.saved(t) * s.count() + static_cast<std::size_t>(r)) * g.cell_size;
  }
  [[nodiscard]] std::size_t panel_stride() const {
    return static_cast<std::size_t>(s.slots) * s.count() * g.cell_size;
  }
  [[nodiscard]] float* state(int panel, int r) const { return cell(s.state, C::kState, panel, r); }
  [[nodiscard]] float* carry(int panel, int r) const { return cell(s.carry, C::kCarry, panel, r); }
  [[nodiscard]] float* memory(int panel, int r) const { return cell(s.memory, 1, panel, r); }
  [[nodiscard]] float* dh(int r) const {
    return s.dh.data() + static_cast<std::size_t>(r) * g.padded_units();
  }
  [[nodiscard]] int active(int t) const { return s.active[static_cast<std::size_t>(t)]; }
  [[nodiscard]] std::size_t sequence(int r) const {
    return static_cast<std::size_t>(s.sequence[static_cast<std::size_t>(r)]);
  }

  const Geometry& g;
  Strip& s;
  Slots at;

 private:
  float* cell(Buffer& buffer, int numbers, int panel, int r) const {
    const auto rows = static_cast<std::size_t>(panel) * s.count() + static_cast<std::size_t>(r);
    return buffer.data() + rows * static_cast<std::size_t>(numbers) * kLanes;
  }
};

// Room for the pre-activations of one tile.
struct alignas(64) TileBuffer {
  float values[kAccumulators * kLanes];
};

// out = row × weights for G pre-activations of some panels, `length` numbers deep.
template <int G>
HWY_INLINE void preactivations(const RowOperand& rows, const float* weights, int panel, int panels,
                               int count, TileBuffer& out) {
  const std::size_t panel_size = rows.length * G * kLanes;
  std::fill_n(out.values, static_cast<std::size_t>(count * panels * G) * kLanes, 0.0f);
  multiply_for<G>(count, panels)(
      rows, {weights + static_cast<std::size_t>(panel) * panel_size, panel_size}, out.values);
}

// The pre-activations that see x only, for the cells that have some: forward needs them, and backward again.
template <class C>
HWY_INLINE void only_inputs(const View<C>& v, const PackedWeights& w, int t, int panel, int panels,
                            int row, int rows, TileBuffer& out) {
  if constexpr (C::kInputs > 0) {
    preactivations<C::kInputs>({v.row(t, row), v.g.row_stride, v.g.x_size()},
                               w.forward.data() + v.g.gates_size(), panel, panels, rows, out);
  }
}

template <class C>
HWY_INLINE void load_inputs(const TileBuffer& tile, int at, Vector* out) {
  for (int i = 0; i < C::kInputs; ++i) {
    out[i] = load(tile.values + (at * C::kInputs + i) * static_cast<int>(kLanes));
  }
}

template <class C>
class Forward {
 public:
  Forward(const Geometry& g, const PackedWeights& weights, const float* x, int batch, Strip& strip,
          Slots slots)
      : v_(g, strip, slots), w_(weights), x_(x), batch_(static_cast<std::size_t>(batch)) {}

  // Steps begin … end-1, from the state in the strip and h in the row of step `begin`.
  void walk(int begin, int end, float* h_every) {
    if (v_.at.keep) keep_memory();
    for (int t = begin; t < end; ++t) {
      const int rows = v_.active(t);
      fill_rows(t, rows);
      for_each_tile<C::kGates>(rows, static_cast<int>(v_.g.panels),
                               [&](int panel, int panels, int row, int count) {
                                 tile(t, panel, panels, row, count);
                               });
      if (h_every != nullptr) copy_h(t, rows, h_every);
    }
  }

 private:
  // x_t and 1 beside h_{t-1}.
  void fill_rows(int t, int rows) {
    const auto D = static_cast<std::size_t>(v_.g.inputs);
    for (int r = 0; r < rows; ++r) {
      float* row = v_.row(t, r);
      std::copy_n(x_ + (static_cast<std::size_t>(t) * batch_ + v_.sequence(r)) * D, D, row);
      row[D] = 1.0f;
    }
  }

  void tile(int t, int panel, int panels, int row, int rows) {
    TileBuffer gates;
    TileBuffer inputs;
    preactivations<C::kGates>({v_.row(t, row), v_.g.row_stride, v_.g.row_size}, w_.forward.data(),
                              panel, panels, rows, gates);
    only_inputs(v_, w_, t, panel, panels, row, rows, inputs);
    for (int r = 0; r < rows; ++r) {
      for (int p = 0; p < panels; ++p) {
        cell(t, panel + p, row + r, r * panels + p, gates, inputs);
      }
    }
  }

  HWY_INLINE void cell(int t, int panel, int row, int at, const TileBuffer& gates,
                       const TileBuffer& inputs) {
    Vector pre[C::kGates + C::kInputs];
    Vector state[C::kState];
    Vector saved[C::kSaved];
    float* const state_at = v_.state(panel, row);
    float* const saved_at = v_.saved(t, panel, row);
    for (int i = 0; i < C::kGates; ++i) {
      pre[i] = load(gates.values + (at * C::kGates + i) * static_cast<int>(kLanes));
    }
    load_inputs<C>(inputs, at, pre + C::kGates);
    for (int i = 0; i < C::kState; ++i) state[i] = load(state_at + i * static_cast<int>(kLanes));
    const Vector h = C::forward(pre, state, saved);
    for (int i = 0; i < C::kState; ++i) store(state[i], state_at + i * static_cast<int>(kLanes));
    for (int i = 0; i < C::kSaved; ++i) store(saved[i], saved_at + i * static_cast<int>(kLanes));
    store(h, v_.h_before(t + 1, row) + static_cast<std::size_t>(panel) * kLanes);
  }

  void copy_h(int t, int rows, float* h_every) {
    const auto H = static_cast<std::size_t>(v_.g.units);
    for (int r = 0; r < rows; ++r) {
      std::copy_n(v_.h_before(t + 1, r), H,
                  h_every + (static_cast<std::size_t>(t) * batch_ + v_.sequence(r)) * H);
    }
  }

  void keep_memory() {
    for (int panel = 0; panel < static_cast<int>(v_.g.panels); ++panel) {
      for (int r = 0; r < v_.s.rows(); ++r) store(load(v_.state(panel, r)), v_.memory(panel, r));
    }
  }

  View<C> v_;
  const PackedWeights& w_;
  const float* x_;
  std::size_t batch_;
};

}  // namespace rwa::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

// src/backend/cpu/backward-inl.h: walks a tape from its last step to its first: dh by one product,
// then the cell's backward, which overwrites the tape with the gradients of the pre-activations.
// The weight gradient follows from those, a few steps at a time, per shard of the batch, in the
// order of steps and sequences.
#if defined(RWA_BACKEND_CPU_BACKWARD_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef RWA_BACKEND_CPU_BACKWARD_INL_H_
#undef RWA_BACKEND_CPU_BACKWARD_INL_H_
#else
#define RWA_BACKEND_CPU_BACKWARD_INL_H_
#endif

#include "backend/cpu/forward-inl.h"

HWY_BEFORE_NAMESPACE();
namespace rwa::cpu::HWY_NAMESPACE {

// Loads the first `count` values (at most one vector), padded with zeros.
HWY_INLINE Vector load_part(const float* from, std::size_t count) {
  if (count >= kLanes) return load(from);
  alignas(64) float lanes[kLanes] = {};  // Highway's masked load may read, and fault, past the end
  std::copy_n(from, count, lanes);
  return load(lanes);
}
HWY_INLINE void store_part(Vector value, float* to, std::size_t count) {
  alignas(64) float lanes[kLanes];
  store(value, lanes);
  std::copy_n(lanes, std::min(count, kLanes), to);
}
HWY_INLINE void add_part(Vector value, float* to, std::size_t count) {
  alignas(64) float lanes[kLanes];
  store(value, lanes);
  for (std::size_t i = 0; i < std::min(count, kLanes); ++i) to[i] += lanes[i];
}

template <class C>
class Backward {
 public:
  Backward(const RecurrentSpec& spec, const Geometry& g, const PackedWeights& weights,
           const RecurrentBackward<float>& call, Strip& strip, Slots slots, Gradients& gradients)
      : v_(g, call.in, strip, slots),
        w_(weights),
        call_(call),
        last_(call.last(spec)),
        gradients_(gradients) {}

  // Walks steps end-1 … begin, which are on the tape. If there are later steps, dh of step end-1 is
  // in the strip; leaves dh of step begin-1 there.
  void walk(int begin, int end) {
    const bool is_last = end == v_.s.steps();
    for (int t = end - 1, done = end; t >= begin; --t) {
      const int continued = v_.active(t + 1);
      step(t, 0, continued, t + 1 == end && !is_last ? Source::kStrip : Source::kProduct);
      step(t, continued, v_.active(t), Source::kLoss);
      if (t % kGradientSteps == 0 || t == begin) {
        weight_gradient(t, done);
        done = t;
      }
      if (call_.x != nullptr) x_gradient(t);
    }
    hand_over(begin);
  }

 private:
  // Where dh comes from besides the loss.
  enum class Source { kLoss, kProduct, kStrip };

  // dh of step t for a tile: the loss's gradient, plus the gradients of step t+1's gates times
  // their weights. Rows that continue after t get nothing from a loss on the last step.
  HWY_INLINE void collect(int t, int panel, int panels, int row, int rows, bool product,
                          Ahead* ahead, TileBuffer& dh) {
    const bool loss = !product || call_.dh_every != nullptr;
    for (int r = 0; loss && r < rows; ++r) {
      for (int p = 0; p < panels; ++p) {
        store(from_loss(t, panel + p, row + r), dh.values + (r * panels + p) * kWidth);
      }
    }
    if (!product) return;
    const std::size_t panel_size = v_.g.gates_depth() * kLanes;
    multiply_for<1>(rows, panels)(
        {v_.deltas(t + 1, row), v_.g.delta_stride, v_.g.gates_depth()},
        {w_.back.data() + static_cast<std::size_t>(panel) * panel_size, panel_size},
        loss ? Into::kSum : Into::kNothing, ahead, dh.values);
  }

  HWY_INLINE Vector from_loss(int t, int panel, int row) {
    const auto H = static_cast<std::size_t>(v_.g.units);
    const std::size_t unit = static_cast<std::size_t>(panel) * kLanes;
    Vector sum;
    if (call_.dh_every != nullptr && t >= 0) {
      sum = load_part(call_.dh_every + v_.source(t, row) * v_.g.h_stride + unit, H - unit);
    }
    if (last_.dh != nullptr && v_.s.length[static_cast<std::size_t>(row)] == t + 1) {
      sum = sum + load_part(last_.dh + v_.sequence(row) * last_.stride + unit, H - unit);
    }
    return sum;
  }

  void step(int t, int first, int end, Source source) {
    for_each_tile<1>(end - first, static_cast<int>(v_.g.panels),
                     [&](int panel, int panels, int row, int rows) {
                       tile(t, panel, panels, first + row, rows, source);
                     });
  }

  void tile(int t, int panel, int panels, int row, int rows, Source source) {
    TileBuffer dh;
    TileBuffer inputs;
    if (source == Source::kStrip) {
      for (int r = 0; r < rows; ++r) {
        std::copy_n(v_.dh(row + r) + static_cast<std::size_t>(panel) * kLanes,
                    static_cast<std::size_t>(panels) * kLanes, dh.values + r * panels * kWidth);
      }
    } else {
      Ahead ahead = needed(t, panel, panels, row, rows);
      collect(t, panel, panels, row, rows, source == Source::kProduct, &ahead, dh);
    }
    if (call_.dh_total != nullptr) copy_dh(t, panel, panels, row, rows, dh);
    only_inputs(v_, w_, t, panel, panels, row, rows, inputs);
    for (int p = 0; p < panels; ++p) {
      cells(t, panel + p, row, rows, dh.values + p * kWidth, panels,
            inputs.values + p * C::kInputs * kWidth);
    }
  }

  // Writes the total gradient of h of step t.
  void copy_dh(int t, int panel, int panels, int row, int rows, const TileBuffer& dh) {
    const auto H = static_cast<std::size_t>(v_.g.units);
    for (int r = 0; r < rows; ++r) {
      for (int p = 0; p < panels; ++p) {
        const std::size_t unit = static_cast<std::size_t>(panel + p) * kLanes;
        Vector sum = load(dh.values + (r * panels + p) * kWidth);
        if (C::kCarriesOutput) sum = sum + load(v_.carry(panel + p, row + r));
        store_part(sum, call_.dh_total + v_.source(t, row + r) * H + unit, H - unit);
      }
    }
  }

  // What a tile's cells will read of the tape, to prefetch.
  Ahead needed(int t, int panel, int panels, int row, int rows) const {
    Ahead ahead;
    add_saved(v_, t, panel, panels, row, rows, ahead);
    for (int p = panel; p < panel + panels && t > v_.at.first; ++p) {
      ahead.add(v_.saved(t - 1, p, row) + C::kMemory * kLanes, static_cast<std::size_t>(rows),
                v_.g.cell_size);
    }
    const std::size_t lines = static_cast<std::size_t>(panels) * kLanes / kLineFloats + 1;
    for (int r = row; r < row + rows; ++r) {
      ahead.add(v_.h_before(t + 1, r) + static_cast<std::size_t>(panel) * kLanes, lines);
    }
    return ahead;
  }

  // The cell's backward for one panel of some rows; dh and only_x are rows of a tile, `panels`
  // wide.
  HWY_INLINE void cells(int t, int panel, int row, int rows, const float* dh, int panels,
                        const float* only_x) {
    const bool first = t == v_.at.first;
    const float* memory =
        first ? v_.memory(panel, row) : v_.saved(t - 1, panel, row) + C::kMemory * kLanes;
    const std::size_t memory_stride = first ? kLanes : v_.g.cell_size;
    const float* h = v_.h_before(t + 1, row) + static_cast<std::size_t>(panel) * kLanes;
    float* saved_at = v_.saved(t, panel, row);
    float* deltas_at = v_.deltas(t, row) + static_cast<std::size_t>(panel) * kLanes;
    float* carry_at = v_.carry(panel, row);
    for (int r = 0; r < rows; ++r) {
      Vector inputs[C::kInputs + 1];
      Vector saved[C::kSaved];
      Vector carry[C::kCarry];
      load_all<C::kInputs>(only_x, inputs);
      load_all<C::kSaved>(saved_at, saved);
      load_all<C::kCarry>(carry_at, carry);
      C::backward(load(dh), load(h), inputs, load(memory), saved, carry);
      store_all<C::kSaved>(saved, saved_at);
      store_all<C::kGates + C::kInputs>(saved, deltas_at, v_.g.padded_units());
      store_all<C::kCarry>(carry, carry_at);
      dh += panels * kWidth;
      only_x += panels * C::kInputs * kWidth;
      memory += memory_stride;
      h += v_.g.row_stride;
      saved_at += C::kSaved * kLanes;
      deltas_at += v_.g.delta_stride;
      carry_at += C::kCarry * kLanes;
    }
  }

  // Adds Σ row ⊗ gradients of the pre-activations, over the steps and each shard's sequences.
  void weight_gradient(int begin, int end) {
    for (int shard = v_.s.shards.begin; shard < v_.s.shards.end; ++shard) {
      list_rows(begin, end, call_.in.rows.cut().rows(shard));
      if (v_.s.index.empty()) continue;
      if (v_.g.symbols > 0) symbol_gradient(shard);
      float* gradient = gradients_.weights.shard(shard);
      for (std::size_t panel = 0; panel < v_.g.panels; ++panel) {
        OuterOperands in{
            v_.s.tape.data(), v_.g.row_stride,   v_.s.saved.data() + panel * v_.panel_stride(),
            v_.g.cell_size,   v_.s.index.data(), v_.s.index.size()};
        outer<C::kGates>(in, static_cast<int>(v_.g.row_size),
                         gradient + panel * v_.g.row_size * C::kGates * kLanes);
        if constexpr (C::kInputs > 0) {
          in.b += C::kGates * kLanes;
          outer<C::kInputs>(
              in, static_cast<int>(v_.g.x_size()),
              gradient + v_.g.gates_size() + panel * v_.g.x_size() * C::kInputs * kLanes);
        }
      }
    }
  }

  // The input of a symbol's weights is 1: each occurrence adds the gradients as they are.
  void symbol_gradient(int shard) {
    constexpr std::size_t kPanel = (C::kGates + C::kInputs) * kLanes;
    for (const std::uint32_t row : v_.s.index) {
      const int t = v_.at.first + static_cast<int>(row / v_.s.count());
      const std::size_t at = v_.source(t, static_cast<int>(row % v_.s.count()));
      float* to = gradients_.symbols.row(shard, v_.in.symbols[at]);
      const float* from = v_.s.saved.data() + row * v_.g.cell_size;
      for (std::size_t panel = 0; panel < v_.g.panels; ++panel) {
        for (std::size_t i = 0; i < kPanel; i += kLanes) {
          store(load(to + i) + load(from + i), to + i);
        }
        to += kPanel;
        from += v_.panel_stride();
      }
    }
  }

  void list_rows(int begin, int end, Range sequences) {
    auto& index = v_.s.index;
    index.clear();
    for (int t = begin; t < end; ++t) {
      for (int b = sequences.begin; b < sequences.end; ++b) {
        const int row = v_.s.row_of[static_cast<std::size_t>(b - v_.s.first_sequence)];
        if (t >= v_.s.length[static_cast<std::size_t>(row)]) continue;
        index.push_back(static_cast<std::uint32_t>(v_.at.rows(t) * v_.s.count() +
                                                   static_cast<std::size_t>(row)));
      }
    }
  }

  void x_gradient(int t) {
    const auto D = static_cast<std::size_t>(v_.g.inputs);
    const std::size_t panel_size = v_.g.depth() * kLanes;
    for_each_tile<1>(
        v_.active(t), static_cast<int>(v_.g.x_panels),
        [&](int panel, int panels, int row, int rows) {
          TileBuffer out;
          multiply_for<1>(rows, panels)(
              {v_.deltas(t, row), v_.g.delta_stride, v_.g.depth()},
              {w_.back_x.data() + static_cast<std::size_t>(panel) * panel_size, panel_size},
              Into::kNothing, nullptr, out.values);
          for (int r = 0; r < rows; ++r) {
            float* dx = call_.x + v_.source(t, row + r) * D;
            for (int p = 0; p < panels; ++p) {
              const std::size_t d = static_cast<std::size_t>(panel + p) * kLanes;
              add_part(load(out.values + (r * panels + p) * kWidth), dx + d, D - d);
            }
          }
        });
  }

  // Writes the complete dh of step begin-1 to the strip, for the previous tape or for h_0.
  void hand_over(int begin) {
    const int continued = v_.active(begin);
    const int rows = begin > 0 ? v_.active(begin - 1) : v_.s.rows();
    const auto part = [&](int first, int end, bool product) {
      for_each_tile<1>(
          end - first, static_cast<int>(v_.g.panels),
          [&](int panel, int panels, int row, int count) {
            TileBuffer dh;
            collect(begin - 1, panel, panels, first + row, count, product, nullptr, dh);
            for (int r = 0; r < count; ++r) {
              std::copy_n(dh.values + r * panels * kWidth,
                          static_cast<std::size_t>(panels) * kLanes,
                          v_.dh(first + row + r) + static_cast<std::size_t>(panel) * kLanes);
            }
          });
    };
    part(0, continued, true);
    part(continued, rows, false);
  }

  View<C> v_;
  const PackedWeights& w_;
  const RecurrentBackward<float>& call_;
  RecurrentBackward<float>::Last last_;
  Gradients& gradients_;
};

}  // namespace rwa::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

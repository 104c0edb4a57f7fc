// src/backend/cpu/backward-inl.h: from the last step of a tape to its first: dh by one product,
// then the cell's backward, which leaves the gradients of the pre-activations where the tape had
// their values. The gradient of the weights is formed from those a few steps at a time, per shard
// of the batch, in the order of steps and sequences.
#if defined(RWA_BACKEND_CPU_BACKWARD_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef RWA_BACKEND_CPU_BACKWARD_INL_H_
#undef RWA_BACKEND_CPU_BACKWARD_INL_H_
#else
#define RWA_BACKEND_CPU_BACKWARD_INL_H_
#endif

#include "backend/cpu/forward-inl.h"

HWY_BEFORE_NAMESPACE();
namespace rwa::cpu::HWY_NAMESPACE {

// The first `count` numbers (at most a vector), zeros behind them.
HWY_INLINE Vector load_part(const float* from, std::size_t count) {
  if (count >= kLanes) return load(from);
  alignas(64) float lanes[kLanes] = {};  // Highway's masked load may read, and fault, past the end
  std::copy_n(from, count, lanes);
  return load(lanes);
}
HWY_INLINE void add_part(Vector value, float* to, std::size_t count) {
  alignas(64) float lanes[kLanes];
  store(value, lanes);
  for (std::size_t i = 0; i < std::min(count, kLanes); ++i) to[i] += lanes[i];
}

template <class C>
class Backward {
 public:
  Backward(const Geometry& g, const PackedWeights& weights, const RecurrentBackward<float>& call,
           Strip& strip, Slots slots, ShardSums& gradients)
      : v_(g, strip, slots),
        w_(weights),
        call_(call),
        gradients_(gradients),
        batch_(static_cast<std::size_t>(call.in.rows.batch)) {}

  // Steps end-1 … begin, which are on the tape. Where later steps exist, their share of dh waits in
  // the strip; at the end the share of step begin-1 does.
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

  // dh of step t for a tile: what the loss sends, and the gradients of step t+1's gates times their
  // weights.
  HWY_INLINE void collect(int t, int panel, int panels, int row, int rows, bool product,
                          TileBuffer& dh) {
    for (int r = 0; r < rows; ++r) {
      for (int p = 0; p < panels; ++p) {
        store(from_loss(t, panel + p, row + r),
              dh.values + (r * panels + p) * static_cast<int>(kLanes));
      }
    }
    if (!product) return;
    const std::size_t panel_size = v_.g.gates_back_size();
    multiply_for<1>(rows, panels)(
        {v_.gates(t + 1, 0, row), v_.g.gate_stride, v_.g.padded_units() * C::kGates},
        {w_.back.data() + static_cast<std::size_t>(panel) * panel_size, panel_size}, dh.values);
  }

  HWY_INLINE Vector from_loss(int t, int panel, int row) {
    const auto H = static_cast<std::size_t>(v_.g.units);
    const std::size_t unit = static_cast<std::size_t>(panel) * kLanes;
    Vector sum;
    if (call_.dh_every != nullptr && t >= 0) {
      const std::size_t at = static_cast<std::size_t>(t) * batch_ + v_.sequence(row);
      sum = load_part(call_.dh_every + at * H + unit, H - unit);
    }
    if (call_.dh_last != nullptr && v_.s.length[static_cast<std::size_t>(row)] == t + 1) {
      sum = sum + load_part(call_.dh_last + v_.sequence(row) * H + unit, H - unit);
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
    prefetch_saved(v_, t, panel, panels, row, rows);
    for (int r = row; r < row + rows; ++r) {
      const std::size_t width = static_cast<std::size_t>(panels) * kLanes;
      prefetch(v_.h_before(t + 1, r) + static_cast<std::size_t>(panel) * kLanes, width + 1);
      if (t > v_.at.first) prefetch(v_.rest(t - 1, panel, r), width * v_.kRest);
    }
    if (source == Source::kStrip) {
      for (int r = 0; r < rows; ++r) {
        std::copy_n(v_.dh(row + r) + static_cast<std::size_t>(panel) * kLanes,
                    static_cast<std::size_t>(panels) * kLanes,
                    dh.values + r * panels * static_cast<int>(kLanes));
      }
    } else {
      collect(t, panel, panels, row, rows, source == Source::kProduct, dh);
    }
    only_inputs(v_, w_, t, panel, panels, row, rows, inputs);
    for (int p = 0; p < panels; ++p) {
      cells(t, panel + p, row, rows, dh.values + p * static_cast<int>(kLanes), panels,
            inputs.values + p * C::kInputs * static_cast<int>(kLanes));
    }
  }

  // The cell's backward for one panel of some rows; dh and only_x are rows of a tile, `panels`
  // wide.
  HWY_INLINE void cells(int t, int panel, int row, int rows, const float* dh, int panels,
                        const float* only_x) {
    const bool first = t == v_.at.first;
    const float* memory = first ? v_.memory(panel, row)
                                : v_.rest(t - 1, panel, row) + (C::kMemory - C::kGates) * kLanes;
    const std::size_t memory_stride = first ? kLanes : v_.g.rest_stride;
    const float* h = v_.h_before(t + 1, row) + static_cast<std::size_t>(panel) * kLanes;
    float* gates_at = v_.gates(t, panel, row);
    float* rest_at = v_.rest(t, panel, row);
    float* carry_at = v_.carry(panel, row);
    for (int r = 0; r < rows; ++r) {
      Vector inputs[C::kInputs + 1];
      Vector saved[C::kSaved];
      Vector carry[C::kCarry];
      load_all<C::kInputs>(only_x, inputs);
      load_all<C::kGates>(gates_at, saved);
      load_all<View<C>::kRest>(rest_at, saved + C::kGates);
      load_all<C::kCarry>(carry_at, carry);
      C::backward(load(dh), load(h), inputs, load(memory), saved, carry);
      store_all<C::kGates>(saved, gates_at);
      store_all<C::kInputs>(saved + C::kGates, rest_at);
      store_all<C::kCarry>(carry, carry_at);
      dh += panels * static_cast<int>(kLanes);
      only_x += panels * C::kInputs * static_cast<int>(kLanes);
      memory += memory_stride;
      h += v_.g.row_stride;
      gates_at += v_.g.gate_stride;
      rest_at += v_.g.rest_stride;
      carry_at += C::kCarry * kLanes;
    }
  }

  // Σ over steps and the sequences of each shard of row ⊗ gradients of pre-activations.
  void weight_gradient(int begin, int end) {
    for (int shard = v_.s.shards.begin; shard < v_.s.shards.end; ++shard) {
      list_rows(begin, end, shard_rows(static_cast<int>(batch_), shard));
      if (v_.s.index.empty()) continue;
      float* gradient = gradients_.shard(shard);
      for (std::size_t panel = 0; panel < v_.g.panels; ++panel) {
        OuterOperands in{
            v_.s.tape.data(), v_.g.row_stride,   v_.s.gates.data() + panel * C::kGates * kLanes,
            v_.g.gate_stride, v_.s.index.data(), v_.s.index.size()};
        outer<C::kGates>(in, static_cast<int>(v_.g.row_size),
                         gradient + panel * v_.g.row_size * C::kGates * kLanes);
        if constexpr (C::kInputs > 0) {
          in.b = v_.s.rest.data() + panel * v_.kRest * kLanes;
          in.b_stride = v_.g.rest_stride;
          outer<C::kInputs>(
              in, static_cast<int>(v_.g.x_size()),
              gradient + v_.g.gates_size() + panel * v_.g.x_size() * C::kInputs * kLanes);
        }
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
    const std::size_t from_gates = v_.g.gates_back_size();
    const std::size_t from_inputs = v_.g.only_inputs_back_size();
    for_each_tile<1>(
        v_.active(t), static_cast<int>(v_.g.x_panels),
        [&](int panel, int panels, int row, int rows) {
          TileBuffer out{};
          const auto multiply = multiply_for<1>(rows, panels);
          const float* weights = w_.back_x.data() + static_cast<std::size_t>(panel) * from_gates;
          multiply({v_.gates(t, 0, row), v_.g.gate_stride, v_.g.padded_units() * C::kGates},
                   {weights, from_gates}, out.values);
          if constexpr (C::kInputs > 0) {
            weights = w_.back_x.data() + v_.g.x_panels * from_gates +
                      static_cast<std::size_t>(panel) * from_inputs;
            multiply({v_.rest(t, 0, row), v_.g.rest_stride, v_.g.padded_units() * C::kInputs},
                     {weights, from_inputs}, out.values);
          }
          for (int r = 0; r < rows; ++r) {
            float* dx = call_.x + (static_cast<std::size_t>(t) * batch_ + v_.sequence(row + r)) * D;
            for (int p = 0; p < panels; ++p) {
              const std::size_t d = static_cast<std::size_t>(panel + p) * kLanes;
              add_part(load(out.values + (r * panels + p) * static_cast<int>(kLanes)), dx + d,
                       D - d);
            }
          }
        });
  }

  // dh of the step before `begin`, complete, into the strip: for the tape before this one, or for
  // h_0.
  void hand_over(int begin) {
    const int continued = v_.active(begin);
    const int rows = begin > 0 ? v_.active(begin - 1) : v_.s.rows();
    const auto part = [&](int first, int end, bool product) {
      for_each_tile<1>(end - first, static_cast<int>(v_.g.panels),
                       [&](int panel, int panels, int row, int count) {
                         TileBuffer dh;
                         collect(begin - 1, panel, panels, first + row, count, product, dh);
                         for (int r = 0; r < count; ++r) {
                           std::copy_n(
                               dh.values + r * panels * static_cast<int>(kLanes),
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
  ShardSums& gradients_;
  std::size_t batch_;
};

}  // namespace rwa::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

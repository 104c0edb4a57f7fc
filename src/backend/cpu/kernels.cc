// src/backend/cpu/kernels.cc: compiled once per instruction set by foreach_target.h: scalar code
// for any x86-64, SSE4, AVX2 and AVX-512. The sets in between would only make the binary larger.
#include "backend/cpu/kernels.h"

#include <vector>

#undef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/kernels.cc"
// clang-format off
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

#include "backend/cpu/backward-inl.h"
#include "backend/cpu/dense-inl.h"
#include "backend/cpu/forward-inl.h"
#include "backend/cpu/pack-inl.h"

HWY_BEFORE_NAMESPACE();
namespace rwa::cpu::HWY_NAMESPACE {

template <class C>
class StripKernelsOf final : public StripKernels {
 public:
  explicit StripKernelsOf(const RecurrentSpec& spec)
      : spec_(spec), g_(spec, kLanes, C::kSaved), packer_(spec_, g_) {}

  [[nodiscard]] const Geometry& geometry() const override { return g_; }

  void pack(const float* parameters, PackedWeights& out) const override {
    packer_.pack(parameters, out);
    out.start.reserve(g_.padded_units());
    for (std::size_t unit = 0; unit < g_.padded_units(); unit += kLanes) {
      const std::size_t left = static_cast<std::size_t>(g_.units) - unit;
      const Vector h =
          C::kLearnedStart
              ? C::Activation::apply(load_part(parameters + spec_.start() + unit, left))
              : Vector(0);
      store(h, out.start.data() + unit);
    }
  }

  void forward(const PackedWeights& w, const RecurrentForward<float>& call,
               Strip& s) const override {
    const bool chunked = call.keep == Memory::kChunked;
    const bool full = call.keep == Memory::kFull;
    const Slots slots{0, full, full || call.share != nullptr};
    const int tape_steps = slots.keep ? s.steps() : chunked ? std::min(kChunkSteps, s.steps()) : 1;
    s.reserve(g_, C::kState, tape_steps, chunked);
    const View<C> v(g_, call.in, s, slots);
    begin(w, call.initial_state, v);
    Forward<C> forward(g_, w, call.in, s, slots);
    if (chunked) {
      for (int t = 0; t < s.steps(); t += kChunkSteps) {
        save_snapshot(v, t);
        forward.walk(t, std::min(t + kChunkSteps, s.steps()), call.h_every, call.share);
      }
    } else {
      forward.walk(0, s.steps(), call.h_every, call.share);
    }
    finish(v, call.h_last, call.final_state);
  }

  void backward(const PackedWeights& w, const RecurrentBackward<float>& call, Memory memory,
                Strip& s, Gradients& gradients) const override {
    const View<C> v(g_, call.in, s, Slots{});
    begin_backward(call.dfinal_state, v);
    if (memory == Memory::kFull) {
      Backward<C>(spec_, g_, w, call, s, Slots{}, gradients).walk(0, s.steps());
    } else {
      backward_chunks(w, call, s, gradients);
    }
    if (call.initial != nullptr) initial_gradient(v, call.initial);
    if (C::kLearnedStart && call.initial_state == nullptr) start_gradient(v, w, gradients);
  }

  void unpack_symbols(Range symbols, SymbolSums& gradient, float* out) const override {
    std::vector<const float*> totals;
    for (int s = symbols.begin; s < symbols.end; ++s) totals.push_back(gradient.total(s));
    packer_.for_each_symbol_weight(symbols, [&](std::size_t target, int s, std::size_t at) {
      const float* total = totals[static_cast<std::size_t>(s - symbols.begin)];
      if (total != nullptr) out[target] += total[at];
    });
  }

  void unpack(const float* gradient, float* out) const override {
    packer_.for_each_weight(
        [&](std::size_t target, std::size_t source) { out[target] += gradient[source]; });
    if (!C::kLearnedStart) return;
    for (int j = 0; j < g_.units; ++j) {
      out[spec_.start() + static_cast<std::size_t>(j)] +=
          gradient[g_.forward_size() + static_cast<std::size_t>(j)];
    }
  }

 private:
  // Writes h_0 into the first row, and the state before the first step.
  void begin(const PackedWeights& w, const float* initial, const View<C>& v) const {
    const auto H = static_cast<std::size_t>(g_.units);
    for (int r = 0; r < v.s.rows(); ++r) {
      const float* from =
          initial == nullptr ? nullptr : initial + v.sequence(r) * spec_.state_size();
      std::copy_n(from == nullptr ? w.start.data() : from, H, v.h_before(0, r));
      for (int panel = 0; panel < static_cast<int>(g_.panels); ++panel) {
        const std::size_t unit = static_cast<std::size_t>(panel) * kLanes;
        for (std::size_t i = 0; i < C::kState; ++i) {
          const Vector value = from == nullptr ? Vector(C::kInitialState[i])
                                               : load_part(from + (i + 1) * H + unit, H - unit);
          store(value, v.state(panel, r) + i * kLanes);
        }
      }
    }
  }

  void finish(const View<C>& v, float* h_last, float* state) const {
    const auto H = static_cast<std::size_t>(g_.units);
    for (int r = 0; r < v.s.rows(); ++r) {
      const float* h = v.h_before(v.s.length[static_cast<std::size_t>(r)], r);
      if (h_last != nullptr) std::copy_n(h, H, h_last + v.sequence(r) * g_.h_stride);
      if (state == nullptr) continue;
      float* to = state + v.sequence(r) * spec_.state_size();
      std::copy_n(h, H, to);
      for (std::size_t j = 0; j < H; ++j) {
        const float* cell = v.state(static_cast<int>(j / kLanes), r) + j % kLanes;
        for (std::size_t i = 0; i < C::kState; ++i) to[(i + 1) * H + j] = cell[i * kLanes];
      }
    }
  }

  // Sets the gradient of the carried state after the last step.
  void begin_backward(const float* dfinal_state, const View<C>& v) const {
    std::fill_n(v.s.carry.data(), g_.padded_units() * v.s.count() * C::kCarry, 0.0f);
    if (dfinal_state == nullptr) return;
    const auto H = static_cast<std::size_t>(g_.units);
    for (int r = 0; r < v.s.rows(); ++r) {
      const float* from = dfinal_state + v.sequence(r) * spec_.carried_size();
      for (std::size_t j = 0; j < H; ++j) {
        float* carry = v.carry(static_cast<int>(j / kLanes), r) + j % kLanes;
        for (std::size_t i = 0; i < C::kCarry; ++i) carry[i * kLanes] = from[(i + 1) * H + j];
      }
    }
  }

  // The saved state and h before step t, where a chunk begins.
  float* snapshot(const View<C>& v, int t) const {
    const std::size_t size = g_.padded_units() * v.s.count() * (C::kState + 1);
    return v.s.snapshots.data() + static_cast<std::size_t>(t / kChunkSteps) * size;
  }
  void save_snapshot(const View<C>& v, int t) const {
    const std::size_t state_size = g_.padded_units() * v.s.count() * C::kState;
    float* to = std::copy_n(v.s.state.data(), state_size, snapshot(v, t));
    for (int r = 0; r < v.s.rows(); ++r) to = std::copy_n(v.h_before(t, r), g_.padded_units(), to);
  }
  void load_snapshot(const View<C>& v, int t) const {
    const std::size_t state_size = g_.padded_units() * v.s.count() * C::kState;
    const float* from = snapshot(v, t);
    std::copy_n(from, state_size, v.s.state.data());
    from += state_size;
    for (int r = 0; r < v.s.rows(); ++r, from += g_.padded_units()) {
      std::copy_n(from, g_.padded_units(), v.h_before(t, r));
    }
  }

  // Recomputes each chunk from its snapshot, with the same bits as the first time, and walks it
  // back.
  void backward_chunks(const PackedWeights& w, const RecurrentBackward<float>& call, Strip& s,
                       Gradients& gradients) const {
    const int chunks = (s.steps() + kChunkSteps - 1) / kChunkSteps;
    for (int chunk = std::max(chunks, 1) - 1; chunk >= 0; --chunk) {
      const int begin = chunk * kChunkSteps;
      const int end = std::min(begin + kChunkSteps, s.steps());
      const Slots slots{begin, true};
      if (chunks > 0) {
        load_snapshot(View<C>(g_, call.in, s, slots), begin);
        Forward<C>(g_, w, call.in, s, slots).walk(begin, end, nullptr);
      }
      Backward<C>(spec_, g_, w, call, s, slots, gradients).walk(begin, end);
    }
  }

  void initial_gradient(const View<C>& v, float* out) const {
    const auto H = static_cast<std::size_t>(g_.units);
    for (int r = 0; r < v.s.rows(); ++r) {
      float* to = out + v.sequence(r) * spec_.carried_size();
      for (std::size_t j = 0; j < H; ++j) {
        to[j] += v.dh(r)[j];
        const float* carry = v.carry(static_cast<int>(j / kLanes), r) + j % kLanes;
        for (std::size_t i = 0; i < C::kCarry; ++i) to[(i + 1) * H + j] += carry[i * kLanes];
      }
    }
  }

  // All sequences share s_0: sums over each shard's sequences, in their order.
  void start_gradient(const View<C>& v, const PackedWeights& w, Gradients& gradients) const {
    for (int shard = v.s.shards.begin; shard < v.s.shards.end; ++shard) {
      const Range rows = v.in.rows.cut().rows(shard);
      if (rows.begin == rows.end) continue;  // there is no memory for its gradient
      float* to = gradients.weights.shard(shard) + g_.forward_size();
      for (int b = rows.begin; b < rows.end; ++b) {
        const float* dh = v.dh(v.s.row_of[static_cast<std::size_t>(b - v.s.first_sequence)]);
        for (std::size_t unit = 0; unit < g_.padded_units(); unit += kLanes) {
          const Vector slope = C::Activation::slope(load(w.start.data() + unit));
          store(load(to + unit) + load(dh + unit) * slope, to + unit);
        }
      }
    }
  }

  RecurrentSpec spec_;
  Geometry g_;
  Packer packer_;
};

std::unique_ptr<const StripKernels> make_strip_kernels_here(const RecurrentSpec& spec) {
  return visit_cell(spec.cell, spec.activation,
                    [&]<class C>() -> std::unique_ptr<const StripKernels> {
                      return std::make_unique<StripKernelsOf<C>>(spec);
                    });
}

const DenseKernels& dense_kernels_here() {
  static const Dense kernels;
  return kernels;
}

// Enough independent multiply-adds to fill the pipelines. Returning the sum keeps the compiler from
// removing them.
inline constexpr int kChains = 12;
HWY_NOINLINE float multiply_adds(std::size_t rounds, float x) {
  Vector sum[kChains];
  const Vector a(x);
  for (std::size_t i = 0; i < rounds; ++i) {
    HWY_UNROLL(16)
    for (int c = 0; c < kChains; ++c) sum[c] = mul_add(sum[c], a, a);
  }
  for (int c = 1; c < kChains; ++c) sum[0] = sum[0] + sum[c];
  return hn::GetLane(sum[0].v);
}

double multiply_add_operations_here() {
  constexpr std::size_t kRounds = 100000;
  volatile float sink = multiply_adds(kRounds, 0.5f);
  (void)sink;
  return 2.0 * kChains * static_cast<double>(kLanes) * kRounds;
}

}  // namespace rwa::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace rwa::cpu {
namespace {
HWY_EXPORT(make_strip_kernels_here);
HWY_EXPORT(dense_kernels_here);
HWY_EXPORT(multiply_add_operations_here);
}  // namespace

std::unique_ptr<const StripKernels> make_strip_kernels(const RecurrentSpec& spec) {
  return HWY_DYNAMIC_DISPATCH(make_strip_kernels_here)(spec);
}
const DenseKernels& dense_kernels() { return HWY_DYNAMIC_DISPATCH(dense_kernels_here)(); }
double multiply_add_operations() { return HWY_DYNAMIC_DISPATCH(multiply_add_operations_here)(); }

}  // namespace rwa::cpu
#endif

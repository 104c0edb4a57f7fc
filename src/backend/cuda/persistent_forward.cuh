// src/backend/cuda/persistent_forward.cuh: the forward kernel. A group of S warps owns 8 units of a
// block. Each warp (split) multiplies its part of h by the weights of all gates of the 8 units. The
// splits then exchange partial sums, so that each lane ends up with all gates of one unit and row.
#pragma once

#include <utility>

#include "backend/cuda/persistent_shared.cuh"

namespace rwa::cuda {

// The position of a row's quad among the 32 quads of a k-step. What a warp sends to one block fills
// a 128-byte line, since the SM-to-SM network is limited by lines; within lines, quads are swizzled
// so that loads are free of bank conflicts.
__device__ constexpr int quad_place(int row, int quad) {
  const int line = quad / 2 * 2 + row % 2;
  return line * 8 + ((row / 2 * 2 + quad % 2) ^ (line * 2));
}

// The product of the block's gate weights and h.
template <class C, Product, int S>
class ForwardProduct;

template <class C, int S>
class ForwardProduct<C, Product::kSplit, S> {
 public:
  static constexpr int kTiles = C::kGates / 2;
  // All k-steps, or half of them if registers are short: 128 per thread in a block of 512.
  static constexpr int kResident = kTiles * S > 4 ? kWarpSteps / 2 : kWarpSteps;
  using Stack = Fragments<kTiles, kResident, kWarpSteps>;

  __host__ __device__ static int steps(int blocks) { return (2 * blocks + S - 1) / S; }
  __host__ __device__ static std::size_t shared_bytes(int blocks) {
    return Stack::shared_bytes(steps(blocks), kGroups * S);
  }
  __device__ ForwardProduct(const Packed& weights, int blocks, int rank, int warp, int lane,
                            void* shared)
      : first_(warp % S * steps(blocks)),
        stack_(weights.forward + static_cast<std::size_t>(rank * kGroups * S + warp) * kTiles *
                                     steps(blocks) * 64,
               steps_here(blocks, warp), steps(blocks), static_cast<uint4*>(shared), warp, lane),
        place_(quad_place(lane / 4, lane % 4)) {}

  // h: [step][row tile][quad]
  template <int NT>
  __device__ void multiply(const uint4* h, int row_tile, float (&sum)[kTiles][4]) const {
    stack_.multiply(h + (first_ * NT + row_tile) * 32 + place_, NT * 32, sum);
  }

 private:
  // The last split may have fewer k-steps.
  __device__ static int steps_here(int blocks, int warp) {
    const int left = 2 * blocks - warp % S * steps(blocks);
    return left < 0 ? 0 : (left < steps(blocks) ? left : steps(blocks));
  }

  int first_;
  Stack stack_;
  int place_;
};

template <class C, int S>
class ForwardProduct<C, Product::kExact, S> {
 public:
  static constexpr int kTiles = C::kGates / 2;
  static constexpr int kRow = C::kGates * kBlockUnits;

  __host__ __device__ static int steps(int blocks) { return (2 * blocks + S - 1) / S; }
  __host__ __device__ static std::size_t shared_bytes(int blocks) {
    return static_cast<std::size_t>(blocks) * kBlockUnits * kRow * sizeof(float);
  }
  __device__ ForwardProduct(const Packed& weights, int blocks, int rank, int warp, int lane,
                            void* shared)
      : first_(warp % S * steps(blocks)),
        last_(min(2 * blocks, first_ + steps(blocks))),
        lane_(lane),
        unit_(warp / S * 8 + lane / 4),
        weights_(static_cast<float*>(shared)) {
    const int size = static_cast<int>(shared_bytes(blocks) / sizeof(uint4));
    const uint4* from = weights.forward + static_cast<std::size_t>(rank) * size;
    for (int i = static_cast<int>(threadIdx.x); i < size; i += static_cast<int>(blockDim.x)) {
      static_cast<uint4*>(shared)[i] = from[i];
    }
  }

  template <int NT>
  __device__ void multiply(const uint4* h, int row_tile, float (&sum)[kTiles][4]) const {
    for (int tile = 0; tile < kTiles; ++tile) {
      for (int c = 0; c < 4; ++c) sum[tile][c] = 0;
    }
    const auto* words = reinterpret_cast<const float*>(h) + row_tile * 128;
    for (int unit = 16 * first_; unit < 16 * last_; ++unit) {
      const float* at = words + unit / 16 * NT * 128 + unit % 4;
      const float left = at[quad_place(2 * (lane_ % 4), unit % 16 / 4) * 4];
      const float right = at[quad_place(2 * (lane_ % 4) + 1, unit % 16 / 4) * 4];
#pragma unroll
      for (int gate = 0; gate < C::kGates; ++gate) {
        const float w = weights_[unit * kRow + gate * kBlockUnits + unit_];
        float* to = &sum[gate / 2][gate % 2 * 2];
        to[0] = fmaf(w, left, to[0]);
        to[1] = fmaf(w, right, to[1]);
      }
    }
  }

 private:
  int first_, last_, lane_, unit_;
  const float* weights_;
};

template <class C, Product P, int S, int NT>
struct ForwardShared {
  // Items per thread: one unit of one row each.
  static constexpr int kItems = (2 * NT + S - 1) / S;

  __host__ __device__ ForwardShared(int blocks, const Features& features, int chunk) {
    SharedMemory memory;
    barriers = memory.take(Exchange::kBarrierBytes);
    h = memory.take(2 * h_bytes(blocks));
    partial = memory.take(sizeof(float) * kGroups * S * (S - 1) * kItems * 32 * C::kGates);
    window = memory.take(Window::shared_bytes(chunk, 8 * NT, features.width));
    weight_x = memory.take(sizeof(float) * kPreactivations<C> * kBlockUnits * features.weights);
    weights = memory.take(ForwardProduct<C, P, S>::shared_bytes(blocks));
    bytes = memory.bytes;
  }
  // Bytes of one of the two buffers: [step][row tile][quad], 16 bytes per quad.
  __host__ __device__ static std::size_t h_bytes(int blocks) {
    return std::size_t{2} * blocks * NT * 32 * sizeof(uint4);
  }
  std::uint32_t barriers, h, partial, window, weight_x, weights, bytes;
};

template <class C, Product P, int S, int NT, bool kTable>
class ForwardKernel {
 public:
  __device__ ForwardKernel(const ForwardArguments& arguments, unsigned char* memory)
      : p_(arguments),
        memory_(memory),
        rank_(static_cast<int>(blockIdx.x)),
        blocks_(static_cast<int>(gridDim.x)),
        warp_(static_cast<int>(threadIdx.x) / 32),
        lane_(static_cast<int>(threadIdx.x) % 32),
        at_(blocks_, p_.in.features, p_.in.chunk),
        exchange_(memory + at_.barriers, blocks_ * kRows * kBlockUnits * 4),
        weights_(p_.weights, blocks_, rank_, warp_, lane_, memory + at_.weights),
        first_slot_(kRows * static_cast<int>(blockIdx.y)),
        begin_(p_.in.begin),
        end_(min(p_.in.end, p_.in.rows.length[first_slot_])),
        window_(p_.in, memory + at_.window, kRows, first_slot_, begin_, 1, begin_, end_) {}

  __device__ void run() {
    prepare();
    int n = 0;
    for (; begin_ + n < end_; ++n) step(n);
    // Nobody reads what the last step sent, but no block may exit while bytes are in flight to it.
    if (n > 0) exchange_.wait(n);
    finish();
    cluster_sync();
  }

 private:
  using Layout = ForwardShared<C, P, S, NT>;
  using Weights = ForwardProduct<C, P, S>;
  static constexpr int kRows = 8 * NT;
  static constexpr int kItems = Layout::kItems;
  static constexpr int kGates = C::kGates;
  static constexpr int kPre = kPreactivations<C>;
  static constexpr int kPeers = S;  // blocks that a lane sends to: a cluster has at most 4 S

  struct Item {
    float h;
    float state[C::kState];
    float x_part[kPre];
    int slot, sequence, length;
    int x;  // offset of its features or symbol in the window
  };

  __device__ int group() const { return warp_ / S; }
  __device__ int split_number() const { return warp_ % S; }
  __device__ int local_unit() const { return 8 * group() + lane_ / 4; }
  __device__ int unit() const { return kBlockUnits * rank_ + local_unit(); }
  // With one row tile and four splits, two of the splits have no items.
  __device__ bool has_items() const { return split_number() / 2 < NT; }
  __device__ int row_tile(int item) const { return split_number() / 2 + S / 2 * item; }
  __device__ int row_in_tile() const { return 2 * (lane_ % 4) + split_number() % 2; }

  __device__ void prepare() {
    if (threadIdx.x == 0) exchange_.start();
    const int size = kPre * kBlockUnits * p_.in.features.weights;
    auto* weight_x = reinterpret_cast<float*>(memory_ + at_.weight_x);
    for (int i = static_cast<int>(threadIdx.x); i < size; i += static_cast<int>(blockDim.x)) {
      weight_x[i] = p_.weights.weight_x[static_cast<std::size_t>(rank_) * size + i];
    }
#pragma unroll
    for (int pre = 0; pre < kPre; ++pre) {
      const int row = rank_ * kPre + pre;
      bias_[pre] = p_.weights.bias[row * kBlockUnits + local_unit()];
      first_weight_x_[pre] =
          p_.weights.weight_x[row * p_.in.features.weights * kBlockUnits + local_unit()];
    }
#pragma unroll
    for (int gate = 0; gate < kGates; ++gate) scale_[gate] = p_.weights.scale[gate];
    const std::uint32_t base = shared_address(memory_);
#pragma unroll
    for (int m = 0; m < kPeers; ++m) {
      peer_[m] = peer_address(base, static_cast<unsigned>(min(peer_block(m), blocks_ - 1)));
    }
    saved_row_ = p_.in.saved_from_begin ? p_.in.rows.offset[min(begin_, p_.in.rows.capacity)] : 0;
    fill_h();
    start_items();
    if (begin_ < end_) {
      window_.start();
      see(begin_);
      record_start();
    }
    cluster_sync();
  }

  // Fills h for the first step. Every block computes all of it, so none is sent.
  __device__ void fill_h() {
    const Start<C> start{&p_.in, p_.initial_state, p_.weights.start};
    auto* h = reinterpret_cast<uint4*>(memory_ + at_.h);
    for (int i = static_cast<int>(threadIdx.x); i < 2 * blocks_ * NT * 32;
         i += static_cast<int>(blockDim.x)) {
      const int first = i / (32 * NT) * 16 + i % 4 * 4;
      const int row = i % 32 / 4;
      const int sequence = p_.in.rows.sequence[first_slot_ + i / 32 % NT * 8 + row];
      const auto word = [&](int j) {
        return Word<P>::make(start.h(sequence, first + j) * Word<P>::kScaleOfH);
      };
      h[i / 32 * 32 + quad_place(row, i % 4)] =
          Word<P>::quad(word(0), word(1), word(2), word(3));
    }
  }

  __device__ void start_items() {
    if (!has_items()) return;
    const Start<C> start{&p_.in, p_.initial_state, p_.weights.start};
#pragma unroll
    for (int i = 0; i < kItems; ++i) {
      Item& item = items_[i];
      item.slot = first_slot_ + 8 * row_tile(i) + row_in_tile();
      item.sequence = p_.in.rows.sequence[item.slot];
      item.length = p_.in.rows.length[item.slot];
      item.h = start.h(item.sequence, unit());
      item.x = (8 * row_tile(i) + row_in_tile()) * p_.in.features.width;
      start_state(start, item, std::make_integer_sequence<int, C::kState>{});
    }
  }
  // Records the initial h as the h_before of the first step.
  __device__ void record_start() const {
    if (!has_items()) return;
#pragma unroll
    for (int i = 0; i < kItems; ++i) {
      record(items_[i], gather(items_[i].h), tape_.y, tape_.z);
    }
  }
  template <int... I>
  __device__ void start_state(const Start<C>& start, Item& item,
                              std::integer_sequence<int, I...>) {
    ((item.state[I] = start.template state<I>(item.sequence, unit())), ...);
  }

  // Computes everything of step t that does not depend on h.
  __device__ void see(int t) {
    if (!has_items()) return;
    tape_ = window_.tape_rows();
    const auto* weight_x =
        reinterpret_cast<const float*>(memory_ + at_.weight_x) + local_unit();
#pragma unroll
    for (int i = 0; i < kItems; ++i) {
      Item& item = items_[i];
      const float* x = window_.at(item.x);
      if constexpr (kTable) {
        load_inputs<C, 0>(p_.in, x, t, item.sequence, item.length, unit(), padded(), item.x_part);
      } else {
        add_inputs<kPre>(x, first_weight_x_, weight_x, bias_, p_.in.features.weights, item.x_part);
      }
    }
  }

  __device__ void step(int n) {
    float own[kItems][kGates];
    multiply(n, own);
    named_sync(1 + group(), 32 * S);
    if (has_items()) {
#pragma unroll
      for (int i = 0; i < kItems; ++i) advance(n, i, own[i]);
    }
    if (n > 0 && threadIdx.x == 0) exchange_.reuse(n);
    if (begin_ + n + 1 < end_) {
      window_.advance(n + 1);
      see(begin_ + n + 1);
      exchange_.wait(n + 1);
    }
  }

  // Multiplies this warp's part of h. Sums of its own items stay in registers; the others go to
  // their owners through `partial`. The next write to `partial` needs no barrier: the writer first
  // waits for the next h, which the owners send only after they have read.
  __device__ void multiply(int n, float (&own)[kItems][kGates]) {
    const auto* h = reinterpret_cast<const uint4*>(memory_ + at_.h + (n & 1) * h_bytes());
#pragma unroll
    for (int tile = 0; tile < NT; ++tile) {
      float sum[Weights::kTiles][4];
      weights_.template multiply<NT>(h, tile, sum);
#pragma unroll
      for (int parity = 0; parity < 2; ++parity) {
        const int owner = parity + 2 * (tile % (S / 2));
        const int item = tile / (S / 2);
        float values[kGates];
#pragma unroll
        for (int gate = 0; gate < kGates; ++gate) {
          values[gate] = sum[gate / 2][gate % 2 * 2 + parity];
        }
        if (owner == split_number()) {
#pragma unroll
          for (int gate = 0; gate < kGates; ++gate) own[item][gate] = values[gate];
        } else {
          store_gates<kGates>(
              partial(owner, split_number() - (split_number() > owner ? 1 : 0), item), values);
        }
      }
    }
  }
  __device__ std::uint32_t h_bytes() const {
    return static_cast<std::uint32_t>(Layout::h_bytes(blocks_));
  }
  __device__ float* partial(int owner, int source, int item) const {
    return reinterpret_cast<float*>(memory_ + at_.partial) +
           ((((group() * S + owner) * (S - 1) + source) * kItems + item) * 32 + lane_) * kGates;
  }

  // Finishes one item: adds up the splits in their order, runs the cell, and sends h.
  __device__ void advance(int n, int i, const float (&own)[kGates]) {
    Item& item = items_[i];
    float pre[kPre];
    float others[S - 1][kGates];
#pragma unroll
    for (int source = 0; source < S - 1; ++source) {
      const float* from = partial(split_number(), source, i);
#pragma unroll
      for (int gate = 0; gate < kGates; ++gate) others[source][gate] = from[gate];
    }
#pragma unroll
    for (int gate = 0; gate < kGates; ++gate) {
      float sum = split_number() == 0 ? own[gate] : others[0][gate];
      if (S == 2) sum = own[gate] + others[0][gate];  // commutative: the order does not matter
#pragma unroll
      for (int s = 1; S > 2 && s < S; ++s) {
        // `others` skips this split: later splits have an index one lower.
        const float after = others[s - 1][gate];
        const float before = s < S - 1 ? others[s < S - 1 ? s : 0][gate] : after;
        sum += s == split_number() ? own[gate] : (s < split_number() ? before : after);
      }
      pre[gate] = fmaf(sum, scale_[gate], item.x_part[gate]);
    }
#pragma unroll
    for (int input = kGates; input < kPre; ++input) pre[input] = item.x_part[input];

    float state[C::kState];
    float saved[C::kSaved];
#pragma unroll
    for (int s = 0; s < C::kState; ++s) state[s] = item.state[s];
    const float h = C::forward(pre, state, saved);
    const bool active = begin_ + n < item.length;
    item.h = active ? h : item.h;
#pragma unroll
    for (int s = 0; s < C::kState; ++s) item.state[s] = active ? state[s] : item.state[s];
    const uint4 quad = gather(item.h);
    send_h(n + 1, i, quad);
    save(n, item, saved, active);
    record(item, quad, tape_.z, tape_.w);
  }

  // Gathers the words of four neighbouring units of one row from four lanes.
  __device__ uint4 gather(float h) const {
    const std::uint32_t word = Word<P>::make(h * Word<P>::kScaleOfH);
    const std::uint32_t pair = __shfl_xor_sync(0xffffffffu, word, 4);
    const bool odd = lane_ / 4 % 2 != 0;
    const std::uint32_t a = odd ? pair : word;
    const std::uint32_t b = odd ? word : pair;
    const std::uint32_t c = __shfl_xor_sync(0xffffffffu, a, 8);
    const std::uint32_t d = __shfl_xor_sync(0xffffffffu, b, 8);
    return lane_ / 8 % 2 == 0 ? Word<P>::quad(a, b, c, d) : Word<P>::quad(c, d, a, b);
  }

  // Each of the four lanes sends to every fourth block. Blocks start with different receivers.
  __device__ int peer_block(int m) const { return lane_ / 4 % 4 + 4 * ((m + rank_) % kPeers); }
  __device__ void send_h(int n, int i, uint4 quad) const {
    const int step = 2 * rank_ + group() / 2;
    const int place = (step * NT + row_tile(i)) * 32 +
                      quad_place(row_in_tile(), group() % 2 * 2 + lane_ / 16);
    const std::uint32_t to = at_.h + (n & 1) * h_bytes() + static_cast<std::uint32_t>(place) * 16;
    const std::uint32_t count = at_.barriers + Exchange::offset(n);
    if (blocks_ == 4 * kPeers) {
#pragma unroll
      for (int m = 0; m < kPeers; ++m) send(peer_[m] + to, quad, peer_[m] + count);
    } else {
#pragma unroll
      for (int m = 0; m < kPeers; ++m) {
        if (peer_block(m) < blocks_) send(peer_[m] + to, quad, peer_[m] + count);
      }
    }
  }

  __device__ void save(int n, const Item& item, const float (&saved)[C::kSaved],
                       bool active) const {
    const std::size_t row = static_cast<std::size_t>(tape_.y - saved_row_ + item.slot);
    float* to = p_.saved + row * (C::kSaved * padded()) + unit();
    if (active && p_.saved != nullptr) {
#pragma unroll
      for (int s = 0; s < C::kSaved; ++s) to[s * padded()] = saved[s];
    }
    if (p_.h_every == nullptr) return;
    if (active && unit() < p_.in.units) {
      const auto to_row = static_cast<std::size_t>(
          source_row(p_.in, begin_ + n, item.sequence, item.length));
      p_.h_every[to_row * p_.in.h_stride + unit()] = item.h;
    }
  }

  // Writes h to the tape as the h_before of the step with rows first … last - 1. Of the four lanes
  // that hold the quad, one writes the high halves and one the low halves.
  __device__ void record(const Item& item, uint4 quad, int first, int last) const {
    const std::size_t at = static_cast<std::size_t>(first + item.slot) * padded() + unit() / 4 * 4;
    const int writer = lane_ / 4 % 4;
    const bool is_on_tape = item.slot < last - first;
    if constexpr (P == Product::kSplit) {
      __half* to = (writer == 0 ? p_.h_high : p_.h_low) + at;
      const uint2 value = writer == 0 ? uint2{quad.x, quad.y} : uint2{quad.z, quad.w};
      if (is_on_tape && writer < 2 && p_.h_high != nullptr) *reinterpret_cast<uint2*>(to) = value;
    } else {
      if (is_on_tape && writer == 0 && p_.h_before != nullptr) {
        *reinterpret_cast<uint4*>(p_.h_before + at) = quad;
      }
    }
  }

  __device__ int padded() const { return blocks_ * kBlockUnits; }

  __device__ void finish() const {
    if (!has_items() || unit() >= p_.in.units) return;
#pragma unroll
    for (int i = 0; i < kItems; ++i) {
      const Item& item = items_[i];
      if (item.sequence < 0) continue;
      const auto sequence = static_cast<std::size_t>(item.sequence);
      if (p_.h_last != nullptr) p_.h_last[sequence * p_.in.h_stride + unit()] = item.h;
      if (p_.final_state != nullptr) {
        float* to = p_.final_state + sequence * (1 + C::kState) * p_.in.units + unit();
        to[0] = item.h;
#pragma unroll
        for (int s = 0; s < C::kState; ++s) to[(1 + s) * p_.in.units] = item.state[s];
      }
    }
  }

  const ForwardArguments& p_;
  unsigned char* memory_;
  const int rank_, blocks_, warp_, lane_;
  const Layout at_;
  const Exchange exchange_;
  const Weights weights_;
  const int first_slot_, begin_, end_;
  Window window_;
  Item items_[kItems];
  float bias_[kPre];
  float first_weight_x_[kPre];
  float scale_[kGates];
  std::uint32_t peer_[kPeers];
  int4 tape_;  // see Window::tape_rows
  int saved_row_;
};

template <class C, Product P, int S, int NT, bool kTable>
__global__ void __launch_bounds__(128 * S, 1)
    run_forward(const __grid_constant__ ForwardArguments arguments) {
  extern __shared__ __align__(16) unsigned char memory[];
  ForwardKernel<C, P, S, NT, kTable>(arguments, memory).run();
}

}  // namespace rwa::cuda

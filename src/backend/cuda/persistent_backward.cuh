// src/backend/cuda/persistent_backward.cuh: the backward kernel. A warp owns some rows of the slice,
// for 32 units of the block, one per lane: a single warp reduction finds the largest gradient of
// these, by which they are scaled before they are split. For the product, each warp serves 32 units
// of the cluster: it multiplies all of this block's gate gradients by the weights to those units,
// and sends the result to their block.
#pragma once

#include <utility>

#include "backend/cuda/persistent_shared.cuh"

namespace rwa::cuda {

// The product of the block's transposed gate weights and the gate gradients.
template <class F, Product = F::kProduct>
class BackwardProduct;

template <class F>
class BackwardProduct<F, Product::kSplit> {
 public:
  // Groups of 32 units have scales of their own, so their sums stay apart.
  static constexpr int kParts = F::kUnitGroups;
  static constexpr int kSteps = 2 * F::kGates;  // per part
  // All k-steps, or as many as balance registers and shared memory.
  static constexpr int kResident = kParts * kSteps * F::kWarps > 64 ? 5 : kSteps;
  using Sums = Accumulator<F::kNarrow>;
  using Stack = Fragments<kParts, 2, kResident, kSteps>;
  using Result = typename Stack::template Sums<Sums>;

  __host__ __device__ static std::size_t shared_bytes(int) {
    return Stack::shared_bytes(kSteps, F::kWarps);
  }
  // `to`: the 32 units that receive the product.
  __device__ BackwardProduct(const Packed& weights, int blocks, int rank, int to, int warp,
                             int lane, void* shared)
      : stack_(weights.backward +
                   static_cast<std::size_t>(to * 2 * blocks + rank) * kParts * kSteps * 64,
               kSteps, kSteps, blocks * kParts * kSteps, static_cast<uint4*>(shared), warp, lane),
        place_(F::kNarrow ? (lane / 8 * 4 + lane % 4) * 2 + lane / 4 % 2 : lane) {}

  // deltas: [part][step][tile of rows][row][quad]
  __device__ void multiply(const uint4* deltas, int row_tile, Result& sums) const {
    constexpr int kQuadWords = sizeof(uint4) / sizeof(typename Sums::Word);
    constexpr int kStride = F::kRowTiles * kStepQuads<F> * kQuadWords;
    const auto* words = reinterpret_cast<const typename Sums::Word*>(deltas) +
                        row_tile * kStepQuads<F> * kQuadWords + place_;
    stack_.template multiply<Sums>(words, kSteps * kStride, kStride, sums);
  }

 private:
  Stack stack_;
  int place_;
};

template <class F>
class BackwardProduct<F, Product::kExact> {
 public:
  static constexpr int kDepth = F::kGates * F::kUnits;
  using Result = float[1][2][4];
  static_assert(F::kUnits == kUnitGroup, "as packed");

  __host__ __device__ static std::size_t shared_bytes(int blocks) {
    return static_cast<std::size_t>(blocks) * F::kUnits * kDepth * sizeof(float);
  }
  __device__ BackwardProduct(const Packed& weights, int blocks, int rank, int to, int, int lane,
                             void* shared)
      : lane_(lane),
        stride_(blocks * F::kUnits),
        weights_(static_cast<float*>(shared) + to * kUnitGroup + lane / 4 * 4) {
    const int size = static_cast<int>(shared_bytes(blocks) / sizeof(uint4));
    const uint4* from = weights.backward + static_cast<std::size_t>(rank) * size;
    for (int i = static_cast<int>(threadIdx.x); i < size; i += static_cast<int>(blockDim.x)) {
      static_cast<uint4*>(shared)[i] = from[i];
    }
  }

  __device__ void multiply(const uint4* deltas, int row_tile, Result& sums) const {
    float sum[4][2] = {};
    const auto* rows =
        reinterpret_cast<const float*>(deltas) + row_tile * kStepQuads<F> * 4 + lane_ % 4 * 32;
    for (int gate = 0; gate < kDepth; ++gate) {
      const float* at = rows + gate / 16 * F::kRowTiles * kStepQuads<F> * 4 + gate % 16;
      const float4 w = *reinterpret_cast<const float4*>(weights_ + gate * stride_);
      const float weights[4] = {w.x, w.y, w.z, w.w};
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        sum[j][0] = fmaf(weights[j], at[0], sum[j][0]);
        sum[j][1] = fmaf(weights[j], at[16], sum[j][1]);
      }
    }
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      sums[0][j / 2][j % 2 * 2] = sum[j][0];
      sums[0][j / 2][j % 2 * 2 + 1] = sum[j][1];
    }
  }

 private:
  int lane_, stride_;
  const float* weights_;
};

template <class F>
struct BackwardShared {
  using C = typename F::Cell;
  // An item is one unit of one row; a warp has items of 32 units.
  static constexpr int kAllItems = F::kRows * F::kUnitGroups;  // of all warps
  static constexpr int kItems = (kAllItems + F::kWarps - 1) / F::kWarps;
  // Steps fetched ahead into rings: what the cell saved, and dh_every, [step][item][thread].
  static constexpr int kRing = 4;
  static constexpr int kSavedFloats = F::kRowTiles * SavedLines<F>::kTileFloats;

  __host__ __device__ BackwardShared(int blocks, const Features& features, int chunk) {
    SharedMemory memory;
    barriers = memory.take(Exchange::kBarrierBytes);
    saved_barriers = memory.take(kRing * sizeof(std::uint64_t));
    received = memory.take(2 * received_bytes(blocks));
    deltas = memory.take(2 * kDeltaBytes);
    scales = memory.take(2 * kAllItems * sizeof(float));
    saved = memory.take(sizeof(float) * kRing * kSavedFloats);
    every = memory.take(sizeof(float) * kRing * kItems * F::kThreads);
    window = memory.take(Window::shared_bytes(chunk, F::kRows, features.width));
    weight_x = memory.take(sizeof(float) * C::kInputs * F::kUnits * features.weights);
    sums = memory.take(
        features.is_summed() ? sizeof(float) * sum_count(features.weights) * F::kThreads : 0);
    weights = memory.take(BackwardProduct<F>::shared_bytes(blocks));
    bytes = memory.bytes;
  }
  // Bytes of one of the two buffers: [sending block][row][unit].
  __host__ __device__ static std::size_t received_bytes(int blocks) {
    return sizeof(float) * blocks * F::kRows * F::kUnits;
  }
  static constexpr std::uint32_t kDeltaBytes = sizeof(float) * F::kRows * F::kUnits * F::kGates;
  // Sums per thread for the gradients of weight_x, but for the first feature.
  __host__ __device__ static int sum_count(int inputs) { return kItems * F::kPre * (inputs - 1); }
  std::uint32_t barriers, saved_barriers, received, deltas, scales, saved, every, window, weight_x,
      sums, weights, bytes;
};

template <class F, bool kTable>
class BackwardKernel {
 public:
  __device__ BackwardKernel(const BackwardArguments& arguments, unsigned char* memory)
      : p_(arguments),
        memory_(memory),
        base_(pinned(shared_address(memory))),
        rank_(pinned(static_cast<int>(blockIdx.x))),
        blocks_(pinned(static_cast<int>(gridDim.x))),
        thread_(pinned(static_cast<int>(threadIdx.x))),
        warp_(__shfl_sync(0xffffffffu, thread_ / 32, 0)),  // tells the compiler that it is uniform
        lane_(thread_ % 32),
        to_(min(warp_, blocks_ * F::kUnitGroups - 1)),
        at_(blocks_, p_.in.features, p_.in.chunk),
        exchange_(base_ + at_.barriers, pinned(static_cast<int>(Layout::received_bytes(blocks_)))),
        weights_(p_.weights, blocks_, rank_, to_, warp_, lane_, memory + at_.weights),
        first_slot_(kRows * static_cast<int>(blockIdx.y)),
        begin_(p_.in.begin),
        // Every octet of the tape is written as a whole.
        end_(min(p_.in.end, p_.in.rows.length[first_slot_ / kOctet * kOctet])),
        width_(pinned(p_.in.features.width)),
        inputs_(pinned(p_.in.features.weights)),
        summed_(pinned(sums_x() ? inputs_ : 0)),
        window_(p_.in, memory + at_.window, kRows, first_slot_, end_ - 1, -1, begin_, end_) {}

  __device__ void run() {
    prepare();
    int n = 0;
    for (; end_ - 1 - n >= begin_; ++n) step(n);
    finish(n);
    cluster_sync();
  }

 private:
  using C = typename F::Cell;
  using Layout = BackwardShared<F>;
  using Weights = BackwardProduct<F>;
  using Exchanged = Word<F::kProduct>;
  using Saved = SavedLines<F>;
  static constexpr int kRows = F::kRows;
  static constexpr int kItems = Layout::kItems;
  static constexpr int kWarps = F::kWarps;
  static constexpr int kGates = F::kGates;
  static constexpr int kPre = F::kPre;
  static constexpr int kGroups = F::kUnitGroups;
  static constexpr int kMostBlocks = F::kMostBlocks;
  // Steps fetched ahead. Step t reads the ring entries of t and t - 1.
  static constexpr int kAhead = Layout::kRing - 1;

  struct Item {
    float saved[C::kSaved];  // by forward at this step
    float memory;            // state[0] before this step
    float dh_every;          // gradient from the loss at this step
    float h;
    float inputs[C::kInputs + 1];
    float first_x;
    float carry[C::kCarry];
    float first_memory;  // state[0] before step `begin`
    float dh_last;
    float delta[kPre];
    std::uint32_t largest;  // of the |gate gradients| of the warp's units, as bits
    int sequence, length;
    // Sums over the steps for the gradients of the bias and of the first feature's weights.
    float sums[2][kPre];
  };

  __device__ int number(int i) const { return warp_ + kWarps * i; }
  __device__ bool has_item(int i) const {
    return Layout::kAllItems % kWarps == 0 || number(i) < Layout::kAllItems;
  }
  __device__ int row(int i) const { return number(i) / kGroups; }
  __device__ int slot(int i) const { return first_slot_ + (has_item(i) ? row(i) : 0); }
  __device__ int group() const { return warp_ % kGroups; }
  __device__ int local_unit() const { return kUnitGroup * group() + lane_; }
  __device__ int unit() const { return F::kUnits * rank_ + local_unit(); }
  __device__ int padded() const { return blocks_ * F::kUnits; }
  __device__ bool is_unit() const { return unit() < p_.in.units; }
  __device__ bool sums_x() const { return !kTable && p_.in.features.is_summed(); }

  __device__ void prepare() {
    if (thread_ == 0) {
      exchange_.start();
      for (int c = 0; c < Layout::kRing; ++c) init_barrier(saved_barrier(c));
      publish_barriers();
    }
    const int weight_rows = C::kInputs * inputs_;
    auto* weight_x = reinterpret_cast<float*>(memory_ + at_.weight_x);
    for (int i = thread_; i < weight_rows * F::kUnits; i += F::kThreads) {
      weight_x[i] = p_.weights.weight_x[(kGates * inputs_ + i / F::kUnits) * padded() +
                                        F::kUnits * rank_ + i % F::kUnits];
    }
#pragma unroll
    for (int input = 0; input < C::kInputs; ++input) {
      const int pre = kGates + input;
      bias_[input] = p_.weights.bias[pre * padded() + unit()];
      first_weight_x_[input] = p_.weights.weight_x[pre * inputs_ * padded() + unit()];
    }
    scale_ = p_.weights.scale[kGates];
    peer_ = peer_address(base_, static_cast<unsigned>(to_ / kGroups));
    start_tape();
    start_items();
    __syncthreads();  // the barriers are there
    for (int c = 0; c < kAhead; ++c) {
      const int t = end_ - 1 - c;
      fetch(c, offset(t), offset(t + 1));
    }
    if (begin_ < end_) {
      window_.start();
      wait_for_saved(0);
      see(0);
    }
    cluster_sync();
  }

  __device__ int offset(int t) const {
    return p_.in.rows.offset[min(max(t, 0), p_.in.rows.capacity)];
  }

  // Finds where this thread reads and writes on the tape: its places for tape row 0.
  __device__ void start_tape() {
    row_saved_ = pinned(padded() * C::kSaved);
    saved_ = pinned(p_.saved + Saved::tile(first_slot_, blocks_, rank_) -
                    static_cast<std::ptrdiff_t>(p_.in.saved_from_begin ? offset(begin_) : 0) *
                        row_saved_);
    row_units_ = pinned(padded());
    const std::ptrdiff_t place = static_cast<std::ptrdiff_t>(first_slot_) * padded() + unit();
    delta_ = pinned(p_.delta + place * kGates);
    if (p_.delta_input != nullptr) delta_input_ = pinned(p_.delta_input + place);
    if (p_.delta_max != nullptr && lane_ == 0) {
      delta_max_ = pinned(p_.delta_max + place / kUnitGroup);
    }
  }

  __device__ void start_items() {
    const Start<C> start{&p_.in, p_.initial_state, p_.weights.start};
#pragma unroll
    for (int i = 0; i < kItems; ++i) {
      Item& item = items_[i];
      item.sequence = has_item(i) ? p_.in.rows.sequence[slot(i)] : -1;
      item.length = item.sequence < 0 ? 0 : p_.in.rows.length[slot(i)];
      item.first_memory = start.template state<0>(item.sequence, unit());
      const bool wanted = p_.dh_last != nullptr && item.sequence >= 0 && is_unit();
      const std::size_t last_at =
          static_cast<std::size_t>(wanted ? item.sequence : 0) * p_.last_stride + unit();
      item.dh_last = wanted ? p_.dh_last[last_at] : 0;
#pragma unroll
      for (int c = 0; c < C::kCarry; ++c) {
        if (p_.later != nullptr) {
          item.carry[c] = has_item(i) ? p_.later[neighbour(i, 1 + c)] : 0;
        } else {
          item.carry[c] =
              wanted && p_.last_has_carry ? p_.dh_last[last_at + (1 + c) * p_.in.units] : 0;
        }
      }
      // The gradient from later steps takes the place of the shares for the first step.
      if (!has_item(i)) continue;
#pragma unroll
      for (int block = 0; block < kMostBlocks; ++block) {
        const float later = p_.later != nullptr ? p_.later[neighbour(i, 0)] : 0.0f;
        if (block < blocks_) share_of(0, block, i) = block == 0 ? later : 0.0f;
      }
    }
    start_sums();
  }
  // Index into `later` and `earlier`, [1 + carry][slots][Hp].
  __device__ std::size_t neighbour(int i, int number) const {
    return (static_cast<std::size_t>(number) * p_.in.rows.slots + slot(i)) * padded() + unit();
  }

  // Steps are counted from the last one: c = end - 1 - t. Starts copying what step c needs; its
  // tape rows are first … last - 1. One thread copies what the cell saved, for all.
  __device__ void fetch(int c, int first, int last) const {
    const int t = end_ - 1 - c;
    if (warp_ == 1 && lane_ == 0) {
      int tiles = t >= begin_ ? 1 : 0;
      if (F::kRowTiles > 1 && tiles == 1) {
        tiles = min(F::kRowTiles, (last - first - first_slot_ + F::kTileRows - 1) / F::kTileRows);
      }
      constexpr int kTileBytes = Saved::kTileFloats * sizeof(float);
      const std::uint32_t barrier = saved_barrier(c);
      arm_barrier(barrier, tiles * kTileBytes);
      const float* from = saved_ + static_cast<std::ptrdiff_t>(first) * row_saved_;
#pragma unroll
      for (int tile = 0; tile < F::kRowTiles; ++tile) {
        if (tile >= tiles) break;
        copy_bulk(saved_address(c) + tile * kTileBytes, from + tile * F::kTileRows * row_saved_,
                  kTileBytes, barrier);
      }
    }
    if (p_.dh_every != nullptr) fetch_every(c, t);
  }
  // Every thread copies only what it reads itself, so no barrier is needed.
  __device__ void fetch_every(int c, int t) const {
#pragma unroll
    for (int i = 0; i < kItems; ++i) {
      const bool wanted = t >= begin_ && t < items_[i].length && is_unit();
      copy_later(shared_address(every(c, i)),
                 p_.dh_every + (wanted ? every_place(items_[i], t) : 0), wanted);
    }
    end_group();
  }
  __device__ std::uint32_t saved_barrier(int c) const {
    return base_ + at_.saved_barriers + c % Layout::kRing * 8;
  }
  __device__ std::uint32_t saved_place(int c) const {
    return at_.saved + c % Layout::kRing * (Layout::kSavedFloats * sizeof(float));
  }
  __device__ std::uint32_t saved_address(int c) const { return base_ + saved_place(c); }
  __device__ const float* saved_of(int c, int i) const {
    return reinterpret_cast<const float*>(memory_ + saved_place(c)) +
           row(i) / F::kTileRows * Saved::kTileFloats +
           Saved::place(row(i) % F::kTileRows, local_unit());
  }
  __device__ void wait_for_saved(int c) const {
    wait_barrier(saved_barrier(c), static_cast<unsigned>(c / Layout::kRing) & 1);
  }
  __device__ float* every(int c, int i) const {
    return reinterpret_cast<float*>(memory_ + at_.every) +
           (c % Layout::kRing * kItems + i) * F::kThreads + thread_;
  }
  __device__ std::size_t every_place(const Item& item, int t) const {
    const int from_row = source_row(p_.in, t, item.sequence, item.length);
    return static_cast<std::size_t>(from_row) * p_.in.h_stride + unit();
  }

  // Computes everything of step c that does not depend on dh. Before the first step there is
  // nothing to compute, but to find that out takes longer than to do it.
  __device__ void see(int c) {
    const int t = end_ - 1 - c;
    wait_for_saved(c + 1);
    if (p_.dh_every != nullptr) wait_for_groups<kAhead - 1>();
    tape_ = window_.tape_rows();
    const auto* weight_x = reinterpret_cast<const float*>(memory_ + at_.weight_x) + local_unit();
#pragma unroll
    for (int i = 0; i < kItems; ++i) {
      Item& item = items_[i];
      if (!has_item(i)) continue;
      const float* from = saved_of(c, i);
#pragma unroll
      for (int s = 0; s < C::kSaved; ++s) item.saved[s] = from[s * 32];
      item.dh_every = p_.dh_every != nullptr ? *every(c, i) : 0.0f;
      const float memory = saved_of(c + 1, i)[C::kMemory * 32];
      item.memory = t > begin_ ? memory : item.first_memory;
      item.h = C::output(item.saved);
      const float* x = window_.at(row(i) * width_);
      if constexpr (!kTable) item.first_x = x[0];
      if constexpr (C::kInputs > 0) {
        if constexpr (kTable) {
          load_inputs<C, kGates>(p_.in, x, max(t, begin_), item.sequence, item.length, unit(),
                                 padded(), item.inputs);
        } else {
          add_inputs<C::kInputs, F::kUnits>(x, first_weight_x_, weight_x, bias_, inputs_,
                                            item.inputs);
        }
      }
    }
  }

  __device__ void step(int n) {
    const int t = end_ - 1 - n;
#pragma unroll
    for (int i = 0; i < kItems; ++i) {
      if (has_item(i)) differentiate(n, t, i);
    }
    __syncthreads();
    if (n > 0 && thread_ == 0) exchange_.reuse(n);
    if (warp_ < blocks_ * kGroups) send_shares(n);
#pragma unroll
    for (int i = 0; i < kItems; ++i) {
      if (has_item(i)) conclude(i);
    }
    fetch(n + kAhead, tape_.z, tape_.w);
    window_.advance(n + 1);
    see(n + 1);
    exchange_.wait(n + 1);
  }

  // The share of an item's dh from `block`, for step n.
  __device__ float& share_of(int n, int block, int i) const {
    return reinterpret_cast<float*>(
        memory_ + at_.received +
        (n & 1) * received_bytes())[(block * kRows + row(i)) * F::kUnits + local_unit()];
  }
  // An item's dh: the sum of all shares, those of 64 units first, in whatever blocks they are.
  __device__ float received(int n, int i) const {
    constexpr int kTogether = F::kUnits == kUnitGroup ? 2 : 1;
    float shares[kMostBlocks];
#pragma unroll
    for (int block = 0; block < kMostBlocks; ++block) {
      shares[block] = block < blocks_ ? share_of(n, block, i) : 0.0f;
    }
    float sum = 0;
#pragma unroll
    for (int block = 0; block < kMostBlocks; block += kTogether) {
      sum += kTogether == 2 ? shares[block] + shares[block + kTogether - 1] : shares[block];
    }
    return sum;
  }
  __device__ std::uint32_t received_bytes() const {
    return static_cast<std::uint32_t>(Layout::received_bytes(blocks_));
  }

  // Computes the gradients of the pre-activations from dh, and shares those of the gates with all
  // warps.
  __device__ void differentiate(int n, int t, int i) {
    Item& item = items_[i];
    float dh = received(n, i) + item.dh_every;
    if (t == item.length - 1) dh += item.dh_last;
    float values[C::kSaved];
    float carry[C::kCarry];
#pragma unroll
    for (int s = 0; s < C::kSaved; ++s) values[s] = item.saved[s];
#pragma unroll
    for (int c = 0; c < C::kCarry; ++c) carry[c] = item.carry[c];
    C::backward(dh, item.h, item.inputs, item.memory, values, carry);
    const bool active = t < item.length;
    // As bits, non-negative floats compare like integers, and NaN is the largest.
    std::uint32_t largest = 0;
#pragma unroll
    for (int pre = 0; pre < kPre; ++pre) {
      item.delta[pre] = active ? values[pre] : 0.0f;
      if (pre < kGates) largest = max(largest, __float_as_uint(fabsf(item.delta[pre])));
    }
#pragma unroll
    for (int c = 0; c < C::kCarry; ++c) item.carry[c] = active ? carry[c] : item.carry[c];
    item.largest = __reduce_max_sync(0xffffffffu, largest);
    share(n, item, i);
  }

  __device__ void share(int n, const Item& item, int i) {
    // Scales the largest to just below 2^kSplitExponent, as far as the scale and its inverse stay
    // normal numbers. kOne: the exponent bias.
    constexpr int kOne = 127;
    const int exponent = min(max(static_cast<int>(item.largest >> 23), kSplitExponent), 254);
    const int raise = kSplitExponent - (exponent - kOne + 1);
    constexpr bool kSplit = F::kProduct == Product::kSplit;
    const float up = kSplit ? __int_as_float((kOne + raise) << 23) : 1.0f;
    const float down = kSplit ? __int_as_float((kOne - raise) << 23) : 1.0f;
    if (lane_ == 0) scales(n)[group() * kRows + row(i)] = down;
    std::uint32_t words[kGates];
#pragma unroll
    for (int gate = 0; gate < kGates; ++gate) words[gate] = Exchanged::make(item.delta[gate] * up);
    // A quad is the four gates of one unit, or the two gates of two units.
    const int quad = local_unit() * kGates / 4;
    const int tile = quad / 4 * F::kRowTiles + row(i) / F::kTileRows;
    uint4* to = deltas(n) + tile * kStepQuads<F> + row(i) % F::kTileRows * 4 + quad % 4;
    if constexpr (kGates == 4) {
      *to = Exchanged::quad(words[0], words[1], words[2], words[3]);
    } else {
      static_assert(kGates == 2);
      Exchanged::store_half(to, lane_ % 2, words[0], words[1]);
    }
  }
  __device__ float* scales(int n) const {
    return reinterpret_cast<float*>(memory_ + at_.scales) + (n & 1) * Layout::kAllItems;
  }
  __device__ uint4* deltas(int n) const {
    return reinterpret_cast<uint4*>(memory_ + at_.deltas + (n & 1) * Layout::kDeltaBytes);
  }

  // Sends this block's share of dh for the 32 units `to_` at the previous step.
  __device__ void send_shares(int n) {
    const std::uint32_t barrier_there = peer_ + at_.barriers + Exchange::offset(n + 1);
    const std::uint32_t there =
        peer_ + at_.received + ((n + 1) & 1) * received_bytes() +
        static_cast<std::uint32_t>(
            (rank_ * kRows * F::kUnits + to_ % kGroups * kUnitGroup + lane_ / 4 * 4) * 4);
    // Of a tile's rows, a lane has one, or two neighbouring ones.
    constexpr int kLaneRows = F::kTileRows / 4;
#pragma unroll
    for (int tile = 0; tile < F::kRowTiles; ++tile) {
      float factor[kLaneRows][kGroups];
#pragma unroll
      for (int group = 0; group < kGroups; ++group) {
        const float* row_scale = scales(n) + group * kRows + F::kTileRows * tile;
#pragma unroll
        for (int column = 0; column < kLaneRows; ++column) {
          factor[column][group] = row_scale[kLaneRows * (lane_ % 4) + column] * scale_;
        }
      }
      typename Weights::Result sums;
      weights_.multiply(deltas(n), tile, sums);
#pragma unroll
      for (int column = 0; column < kLaneRows; ++column) {
        const int row_number = F::kTileRows * tile + kLaneRows * (lane_ % 4) + column;
        const auto word = [&](int j) {
          float share = 0;
#pragma unroll
          for (int group = 0; group < kGroups; ++group) {
            const float sum = sums[group][j / 2][j % 2 * kLaneRows + column];
            const float part = __fmul_rn(sum, factor[column][group]);
            share = group == 0 ? part : share + part;
          }
          return __float_as_uint(share);
        };
        send(there + static_cast<std::uint32_t>(row_number * F::kUnits * 4),
             {word(0), word(1), word(2), word(3)}, barrier_there);
      }
    }
  }

  // Writes what no other thread waits for: the gradients on the tape and the sums over x.
  __device__ void conclude(int i) {
    Item& item = items_[i];
    // The tape has all slots of an octet that has this step.
    const bool there = F::kRowTiles == 1 || slot(i) < tape_.y - tape_.x;
    const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(tape_.x + row(i)) * row_units_;
    store_if(there, delta_ + at * kGates, packed_gates<kGates>(item.delta));
    store_if(there && delta_max_ != nullptr, delta_max_ + at / kUnitGroup,
             __uint_as_float(item.largest));
    if constexpr (C::kInputs > 0) {
      store_if(there && delta_input_ != nullptr, delta_input_ + at, item.delta[kPre - 1]);
    }
    if constexpr (!kTable) add_x_sums(item, i);
  }

  __device__ void add_x_sums(Item& item, int i) {
#pragma unroll
    for (int pre = 0; pre < kPre; ++pre) {
      item.sums[0][pre] += item.delta[pre];
      item.sums[1][pre] = fmaf(item.delta[pre], item.first_x, item.sums[1][pre]);
    }
    const float* x = window_.at(row(i) * width_);
#pragma unroll 1
    for (int d = 1; d < summed_; ++d) {
      float* to = x_sum(i, d, 0);
      float sums[kPre];
#pragma unroll
      for (int pre = 0; pre < kPre; ++pre) {
        sums[pre] = fmaf(item.delta[pre], x[d], to[pre * F::kThreads]);
      }
#pragma unroll
      for (int pre = 0; pre < kPre; ++pre) to[pre * F::kThreads] = sums[pre];
    }
  }
  // For feature d > 0.
  __device__ float* x_sum(int i, int d, int pre) const {
    return reinterpret_cast<float*>(memory_ + at_.sums) +
           ((i * (summed_ - 1) + d - 1) * kPre + pre) * F::kThreads + thread_;
  }
  // Index into p_.x_sums; number 0 is the bias, then the features.
  __device__ std::size_t sum_place(int i, int number, int pre) const {
    return ((static_cast<std::size_t>(slot(i)) * (inputs_ + 1) + number) * kPre + pre) * padded() +
           unit();
  }
  // Calls visit(sum in registers or shared memory, its place in memory) for all sums.
  template <class Visit>
  __device__ void visit_sums(Visit visit) {
    if (!sums_x()) return;
#pragma unroll
    for (int i = 0; i < kItems; ++i) {
      if (!has_item(i)) continue;
#pragma unroll
      for (int pre = 0; pre < kPre; ++pre) {
        visit(items_[i].sums[0][pre], p_.x_sums[sum_place(i, 0, pre)]);
        visit(items_[i].sums[1][pre], p_.x_sums[sum_place(i, 1, pre)]);
        for (int d = 1; d < summed_; ++d) {
          visit(*x_sum(i, d, pre), p_.x_sums[sum_place(i, 1 + d, pre)]);
        }
      }
    }
  }
  __device__ void start_sums() {
    const bool continues = p_.later != nullptr;
    visit_sums([&](float& sum, const float& kept) { sum = continues ? kept : 0.0f; });
  }

  __device__ void finish(int n) {
#pragma unroll
    for (int i = 0; i < kItems; ++i) {
      if (!has_item(i)) continue;
      const Item& item = items_[i];
      float dh = received(n, i);
      if (begin_ == 0 && item.length == 0) dh += item.dh_last;
      p_.earlier[neighbour(i, 0)] = dh;
#pragma unroll
      for (int c = 0; c < C::kCarry; ++c) p_.earlier[neighbour(i, 1 + c)] = item.carry[c];
    }
    visit_sums([](const float& sum, float& kept) { kept = sum; });
  }

  const BackwardArguments& p_;
  unsigned char* memory_;
  const std::uint32_t base_;  // its address in shared memory
  const int rank_, blocks_, thread_, warp_, lane_;
  const int to_;
  const Layout at_;
  const Exchange exchange_;
  const Weights weights_;
  const int first_slot_, begin_, end_;
  const int width_, inputs_;  // see Features: its width and weights
  const int summed_;          // features whose gradients are summed
  Window window_;
  Item items_[kItems];
  float bias_[C::kInputs + 1];
  float first_weight_x_[C::kInputs + 1];
  float scale_;
  std::uint32_t peer_;
  int4 tape_;  // see Window::tape_rows
  // Places on the tape, for tape row 0, and numbers per row. Null: not written.
  const float* saved_;
  int row_saved_, row_units_;
  float* delta_;
  float* delta_input_ = nullptr;
  float* delta_max_ = nullptr;
};

template <class F, bool kTable>
__global__ void __launch_bounds__(F::kThreads, 1)
    run_backward(const __grid_constant__ BackwardArguments arguments) {
  extern __shared__ __align__(16) unsigned char memory[];
  BackwardKernel<F, kTable>(arguments, memory).run();
}

}  // namespace rwa::cuda

// src/backend/cuda/persistent_forward.cuh: the forward kernel. A warp multiplies one fragment's 16
// rows of weights, all gates of a few units, by h, or by a part of h if several warps share a
// fragment: then they exchange partial sums. Each lane ends up with all gates of a unit and row.
#pragma once

#include <type_traits>
#include <utility>

#include "backend/cuda/persistent_shared.cuh"

namespace rwa::cuda {

// How the forward kernel of a form maps units and rows to warps and lanes.
template <class F>
struct ForwardPlan {
  static constexpr int kTileUnits = 16 / F::kGates;  // of a fragment
  static constexpr int kTiles = F::kUnits / kTileUnits;
  static constexpr int kSplits = F::kWarps / kTiles;  // warps that share a fragment
  // The sum over h is made of parts, in an order that all forms for these units have in common.
  static constexpr int kAllParts = F::kMostBlocks * F::kUnits / 128;
  static constexpr int kParts = kAllParts / kSplits;  // of one warp
  static constexpr int kMostSteps = 8;                // per part
  // Registers are short if there are 16 warps.
  static constexpr int kResident = kParts * F::kWarps > 16 ? kMostSteps / 2 : kMostSteps;

  // An item is one unit of one row. A lane gets one item per tile of rows, or two: of two gates in
  // full, of four gates the halves of two, which two lanes then exchange.
  static constexpr int kTileItems = F::kGates == 2 && !F::kNarrow ? 2 : 1;
  static constexpr int kAllItems = kTileItems * F::kRowTiles;
  // Items are dealt out to the splits.
  static constexpr int kItems = (kAllItems + kSplits - 1) / kSplits;

  __host__ __device__ static int steps(int blocks) { return blocks * F::kUnits / 16 / kAllParts; }
};

// The product of the block's gate weights and h.
template <class F, Product = F::kProduct>
class ForwardProduct;

template <class F>
class ForwardProduct<F, Product::kSplit> {
 public:
  using Plan = ForwardPlan<F>;
  using Sums = Accumulator<F::kNarrow>;
  using Stack = Fragments<Plan::kParts, 1, Plan::kResident, Plan::kMostSteps>;

  __host__ __device__ static std::size_t shared_bytes(int blocks) {
    return Stack::shared_bytes(Plan::steps(blocks), F::kWarps);
  }
  __device__ ForwardProduct(const Packed& weights, int blocks, int rank, int warp, int lane,
                            void* shared)
      : steps_(Plan::steps(blocks)),
        first_(warp % Plan::kSplits * Plan::kParts * steps_),
        stack_(weights.forward +
                   (static_cast<std::size_t>(rank * Plan::kTiles + warp / Plan::kSplits) *
                        Plan::kAllParts * steps_ +
                    first_) *
                       64,
               steps_, steps_, 0, static_cast<uint4*>(shared), warp, lane),
        place_(F::kNarrow ? 2 * quad_place<F>(lane / 8, lane % 4) + lane / 4 % 2
                          : quad_place<F>(lane / 4, lane % 4)) {}

  // h: [step][tile of rows][quad]
  __device__ void multiply(const uint4* h, int row_tile, float (&sum)[Sums::kValues]) const {
    constexpr int kQuadWords = sizeof(uint4) / sizeof(typename Sums::Word);
    constexpr int kStride = F::kRowTiles * kStepQuads<F> * kQuadWords;
    const auto* words = reinterpret_cast<const typename Sums::Word*>(h) + first_ * kStride +
                        row_tile * kStepQuads<F> * kQuadWords + place_;
    typename Stack::template Sums<Sums> parts;
    stack_.template multiply<Sums>(words, steps_ * kStride, kStride, parts);
#pragma unroll
    for (int c = 0; c < Sums::kValues; ++c) {
      sum[c] = parts[0][0][c];
#pragma unroll
      for (int part = 1; part < Plan::kParts; ++part) sum[c] += parts[part][0][c];
    }
  }

 private:
  int steps_, first_;
  Stack stack_;
  int place_;
};

template <class F>
class ForwardProduct<F, Product::kExact> {
 public:
  using Plan = ForwardPlan<F>;
  static constexpr int kRow = F::kGates * F::kUnits;
  static_assert(F::kUnits == kUnitGroup, "as packed");

  __host__ __device__ static std::size_t shared_bytes(int blocks) {
    return static_cast<std::size_t>(blocks) * F::kUnits * kRow * sizeof(float);
  }
  __device__ ForwardProduct(const Packed& weights, int blocks, int rank, int warp, int lane,
                            void* shared)
      : units_(blocks * F::kUnits / Plan::kSplits),
        first_(warp % Plan::kSplits * units_),
        lane_(lane),
        weights_(static_cast<float*>(shared)) {
    const int size = static_cast<int>(shared_bytes(blocks) / sizeof(uint4));
    const uint4* from = weights.forward + static_cast<std::size_t>(rank) * size;
    for (int i = static_cast<int>(threadIdx.x); i < size; i += static_cast<int>(blockDim.x)) {
      static_cast<uint4*>(shared)[i] = from[i];
    }
    for (int half = 0; half < 2; ++half) {
      const int row = lane / 4 + 8 * half;  // of a fragment
      column_[half] = row / Plan::kTileUnits * F::kUnits + warp / Plan::kSplits * Plan::kTileUnits +
                      row % Plan::kTileUnits;
    }
  }

  __device__ void multiply(const uint4* h, int row_tile, float (&sum)[4]) const {
    for (int c = 0; c < 4; ++c) sum[c] = 0;
    const auto* words = reinterpret_cast<const float*>(h) + row_tile * kStepQuads<F> * 4;
    for (int unit = first_; unit < first_ + units_; ++unit) {
      const float* at = words + unit / 16 * F::kRowTiles * kStepQuads<F> * 4 + unit % 4;
      const float left = at[quad_place<F>(2 * (lane_ % 4), unit % 16 / 4) * 4];
      const float right = at[quad_place<F>(2 * (lane_ % 4) + 1, unit % 16 / 4) * 4];
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const float w = weights_[unit * kRow + column_[half]];
        sum[2 * half] = fmaf(w, left, sum[2 * half]);
        sum[2 * half + 1] = fmaf(w, right, sum[2 * half + 1]);
      }
    }
  }

 private:
  int units_, first_, lane_;
  int column_[2];
  const float* weights_;
};

template <class F>
struct ForwardShared {
  using Plan = ForwardPlan<F>;

  __host__ __device__ ForwardShared(int blocks, const Features& features, int chunk) {
    SharedMemory memory;
    barriers = memory.take(Exchange::kBarrierBytes);
    h = memory.take(2 * h_bytes(blocks));
    partial =
        memory.take(sizeof(float) * F::kThreads * (Plan::kSplits - 1) * Plan::kItems * F::kGates);
    window = memory.take(Window::shared_bytes(chunk, F::kRows, features.width));
    weight_x = memory.take(sizeof(float) * F::kPre * F::kUnits * features.weights);
    weights = memory.take(ForwardProduct<F>::shared_bytes(blocks));
    bytes = memory.bytes;
  }
  // Bytes of one of the two buffers: [step][tile of rows][quad], 16 bytes per quad.
  __host__ __device__ static std::size_t h_bytes(int blocks) {
    return sizeof(float) * blocks * F::kUnits * F::kRows;
  }
  std::uint32_t barriers, h, partial, window, weight_x, weights, bytes;
};

// kTable: see Features::in_table(). kTape: whether anything is kept for backward.
template <class F, bool kTable, bool kTape>
class ForwardKernel {
 public:
  __device__ ForwardKernel(const ForwardArguments& arguments, unsigned char* memory)
      : p_(arguments),
        memory_(memory),
        base_(pinned(shared_address(memory))),
        rank_(pinned(static_cast<int>(blockIdx.x))),
        blocks_(pinned(static_cast<int>(gridDim.x))),
        thread_(pinned(static_cast<int>(threadIdx.x))),
        warp_(__shfl_sync(0xffffffffu, thread_ / 32, 0)),  // tells the compiler that it is uniform
        lane_(thread_ % 32),
        at_(blocks_, p_.in.features, p_.in.chunk),
        exchange_(base_ + at_.barriers, pinned(static_cast<int>(Layout::h_bytes(blocks_)))),
        weights_(p_.weights, blocks_, rank_, warp_, lane_, memory + at_.weights),
        first_slot_(kRows * static_cast<int>(blockIdx.y)),
        begin_(p_.in.begin),
        // Every octet of the tape is written as a whole.
        end_(min(p_.in.end, p_.in.rows.length[first_slot_ / kOctet * kOctet])),
        width_(pinned(p_.in.features.width)),
        inputs_(pinned(p_.in.features.weights)),
        window_(p_.in, memory + at_.window, kRows, first_slot_, begin_, 1, begin_, end_) {}

  __device__ void run() {
    prepare();
    int n = 0;
    for (; begin_ + n < end_; ++n) step(n);
    finish();
    cluster_sync();
  }

 private:
  using C = typename F::Cell;
  using Plan = ForwardPlan<F>;
  using Layout = ForwardShared<F>;
  using Weights = ForwardProduct<F>;
  using Exchanged = Word<F::kProduct>;
  using Saved = SavedLines<F>;
  static constexpr int kRows = F::kRows;
  static constexpr int kItems = Plan::kItems;
  static constexpr int kSplits = Plan::kSplits;
  static constexpr int kGates = F::kGates;
  static constexpr int kPre = F::kPre;
  static constexpr int kPeers = F::kMostBlocks / 4;  // blocks that a lane sends to

  struct Item {
    float h;
    float state[C::kState];
    float x_part[kPre];
    int sequence, length;
  };

  __device__ int split_number() const { return warp_ % kSplits; }
  __device__ int lane_unit() const { return lane_ / 4 % Plan::kTileUnits; }
  __device__ int local_unit() const { return warp_ / kSplits * Plan::kTileUnits + lane_unit(); }
  __device__ int unit() const { return F::kUnits * rank_ + local_unit(); }
  // With one tile of rows, some of the splits may have no items.
  __device__ bool has_items() const { return split_number() < Plan::kAllItems; }
  __device__ int number(int item) const { return split_number() + kSplits * item; }
  __device__ int row_tile(int item) const { return number(item) / Plan::kTileItems; }
  __device__ int row_in_tile(int item) const {
    if (F::kNarrow) return lane_ % 4;
    return 2 * (lane_ % 4) + (kGates == 4 ? lane_ / 16 : number(item) % 2);
  }
  __device__ int row(int item) const { return F::kTileRows * row_tile(item) + row_in_tile(item); }
  __device__ int slot(int item) const { return first_slot_ + row(item); }

  __device__ void prepare() {
    if (thread_ == 0) exchange_.start();
    const int weight_rows = kPre * p_.in.features.weights;
    auto* weight_x = reinterpret_cast<float*>(memory_ + at_.weight_x);
    for (int i = thread_; i < weight_rows * F::kUnits; i += F::kThreads) {
      weight_x[i] =
          p_.weights.weight_x[i / F::kUnits * padded() + F::kUnits * rank_ + i % F::kUnits];
    }
#pragma unroll
    for (int pre = 0; pre < kPre; ++pre) {
      bias_[pre] = p_.weights.bias[pre * padded() + unit()];
      first_weight_x_[pre] = p_.weights.weight_x[pre * p_.in.features.weights * padded() + unit()];
    }
#pragma unroll
    for (int gate = 0; gate < kGates; ++gate) scale_[gate] = p_.weights.scale[gate];
#pragma unroll
    for (int m = 0; m < kPeers; ++m) {
      peer_[m] = peer_address(base_, static_cast<unsigned>(min(peer_block(m), blocks_ - 1)));
    }
    start_tape();
    fill_h();
    start_items();
    if (begin_ < end_) {
      window_.start();
      see(begin_);
      record_start();
    }
    cluster_sync();
  }

  // Finds where this lane writes on the tape: its places for tape row 0.
  __device__ void start_tape() {
    saved_row_floats_ = pinned(padded() * C::kSaved);
    if (p_.saved != nullptr) {
      const int first =
          p_.in.saved_from_begin ? p_.in.rows.offset[min(begin_, p_.in.rows.capacity)] : 0;
      saved_ = pinned(p_.saved + Saved::tile(first_slot_, blocks_, rank_) -
                      static_cast<std::ptrdiff_t>(first) * saved_row_floats_);
    }
    const std::ptrdiff_t place =
        static_cast<std::ptrdiff_t>(first_slot_) * padded() + unit() / 4 * 4;
    if constexpr (F::kProduct == Product::kSplit) {
      __half* plane = h_writer() == 0 ? p_.h_high : p_.h_low;
      if (h_writer() < 2 && plane != nullptr) h_before_ = pinned(plane + place);
    } else {
      if (h_writer() == 0 && p_.h_before != nullptr) h_before_ = pinned(p_.h_before + place);
    }
  }

  // Fills h for the first step. Every block computes all of it, so none is sent.
  __device__ void fill_h() {
    const Start<C> start{&p_.in, p_.initial_state, p_.weights.start};
    auto* h = reinterpret_cast<uint4*>(memory_ + at_.h);
    const int quads = static_cast<int>(Layout::h_bytes(blocks_) / sizeof(uint4));
    for (int i = thread_; i < quads; i += F::kThreads) {
      const int row = i % F::kTileRows;
      const int quad = i / F::kTileRows % 4;
      const int tile = i / kStepQuads<F>;  // [step][tile of rows]
      const int first = tile / F::kRowTiles * 16 + quad * 4;
      const int sequence =
          p_.in.rows.sequence[first_slot_ + tile % F::kRowTiles * F::kTileRows + row];
      const auto word = [&](int j) {
        return Exchanged::make(start.h(sequence, first + j) * Exchanged::kScaleOfH);
      };
      h[tile * kStepQuads<F> + quad_place<F>(row, quad)] =
          Exchanged::quad(word(0), word(1), word(2), word(3));
    }
  }

  __device__ void start_items() {
    if (!has_items()) return;
    const Start<C> start{&p_.in, p_.initial_state, p_.weights.start};
#pragma unroll
    for (int i = 0; i < kItems; ++i) {
      Item& item = items_[i];
      item.sequence = p_.in.rows.sequence[slot(i)];
      item.length = p_.in.rows.length[slot(i)];
      item.h = start.h(item.sequence, unit());
      start_state(start, item, std::make_integer_sequence<int, C::kState>{});
    }
  }
  // Records the initial h as the h_before of the first step.
  __device__ void record_start() const {
    if constexpr (kTape) {
      if (!has_items()) return;
#pragma unroll
      for (int i = 0; i < kItems; ++i) record(i, gather(items_[i].h), tape_.x, tape_.y);
    }
  }
  template <int... I>
  __device__ void start_state(const Start<C>& start, Item& item, std::integer_sequence<int, I...>) {
    ((item.state[I] = start.template state<I>(item.sequence, unit())), ...);
  }

  // Computes everything of step t that does not depend on h.
  __device__ void see(int t) {
    if (!has_items()) return;
    if constexpr (kTape) tape_ = window_.tape_rows();
    const auto* weight_x = reinterpret_cast<const float*>(memory_ + at_.weight_x) + local_unit();
#pragma unroll
    for (int i = 0; i < kItems; ++i) {
      Item& item = items_[i];
      const float* x = window_.at(row(i) * width_);
      if constexpr (kTable) {
        load_inputs<C, 0>(p_.in, x, t, item.sequence, item.length, unit(), padded(), item.x_part);
      } else {
        add_inputs<kPre, F::kUnits>(x, first_weight_x_, weight_x, bias_, inputs_, item.x_part);
      }
    }
  }

  // The last step has no next one to prepare, but to find that out takes longer than to do it. Nobody
  // reads what it sends, but no block may exit while bytes are in flight to it.
  __device__ void step(int n) {
    if (n > 0 && thread_ == 0) exchange_.reuse(n);
    float own[kItems][kGates];
    multiply(n, own);
    if constexpr (kSplits > 1) named_sync(1 + warp_ / kSplits, 32 * kSplits);
    if (has_items()) {
#pragma unroll
      for (int i = 0; i < kItems; ++i) advance(n, i, own[i]);
    }
    window_.advance(n + 1);
    see(begin_ + n + 1);
    exchange_.wait(n + 1);
  }

  // Multiplies this warp's part of h. Sums of its own items stay in registers; the others go to
  // their owners through `partial`. The next write to `partial` needs no barrier: the writer first
  // waits for the next h, which the owners send only after they have read.
  __device__ void multiply(int n, float (&own)[kItems][kGates]) {
    const auto* h = reinterpret_cast<const uint4*>(memory_ + at_.h + (n & 1) * h_bytes());
#pragma unroll
    for (int tile = 0; tile < F::kRowTiles; ++tile) {
      float sum[F::kNarrow ? 2 : 4];
      weights_.multiply(h, tile, sum);
#pragma unroll
      for (int c = 0; c < Plan::kTileItems; ++c) {
        const int number = tile * Plan::kTileItems + c;
        float values[kGates];
#pragma unroll
        for (int gate = 0; gate < kGates; ++gate) {
          values[gate] = sum[gate * Plan::kTileItems + c];
        }
        if (number % kSplits == split_number()) {
#pragma unroll
          for (int gate = 0; gate < kGates; ++gate) own[number / kSplits][gate] = values[gate];
        } else {
          auto* to = partial(number % kSplits, split_number(), number / kSplits);
          using Gates = decltype(packed_gates<kGates>(values));
          *reinterpret_cast<Gates*>(to) = packed_gates<kGates>(values);
        }
      }
    }
  }
  __device__ std::uint32_t h_bytes() const {
    return static_cast<std::uint32_t>(Layout::h_bytes(blocks_));
  }
  // What `source` adds to an item of `owner`, another split of the same tile.
  __device__ float* partial(int owner, int source, int item) const {
    const int number = warp_ / kSplits * kSplits + owner;
    const int place = source - (source > owner ? 1 : 0);
    return reinterpret_cast<float*>(memory_ + at_.partial) +
           (((number * (kSplits - 1) + place) * kItems + item) * 32 + lane_) * kGates;
  }

  // Adds up the splits in their order.
  __device__ void add_splits(int i, float (&sum)[kGates]) const {
    if constexpr (kSplits > 1) {
      float total[kGates];
#pragma unroll
      for (int source = 0; source < kSplits; ++source) {
        const bool is_own = source == split_number();
        const float* from = partial(split_number(), is_own ? (source + 1) % kSplits : source, i);
#pragma unroll
        for (int gate = 0; gate < kGates; ++gate) {
          const float value = is_own ? sum[gate] : from[gate];
          total[gate] = source == 0 ? value : total[gate] + value;
        }
      }
#pragma unroll
      for (int gate = 0; gate < kGates; ++gate) sum[gate] = total[gate];
    }
  }

  // Of four gates, a lane has two for two rows: gives those of the other row to the lane that has
  // the other two gates, and takes its own.
  __device__ void complete(float (&sum)[kGates]) const {
    if constexpr (kGates == 4) {
      // Pinned, or else the compiler makes two branches of it, each with its own shuffles.
      const bool upper = lane_ >= 16;
      const float given[2] = {pinned(upper ? sum[0] : sum[1]), pinned(upper ? sum[2] : sum[3])};
      const float kept[2] = {pinned(upper ? sum[1] : sum[0]), pinned(upper ? sum[3] : sum[2])};
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        const float taken = pinned(__shfl_xor_sync(0xffffffffu, given[i], 16));
        sum[2 * i] = upper ? taken : kept[i];
        sum[2 * i + 1] = upper ? kept[i] : taken;
      }
    }
  }

  // Finishes one item: runs the cell, and sends h.
  __device__ void advance(int n, int i, float (&sum)[kGates]) {
    Item& item = items_[i];
    add_splits(i, sum);
    complete(sum);
    float pre[kPre];
#pragma unroll
    for (int gate = 0; gate < kGates; ++gate) {
      pre[gate] = fmaf(sum[gate], scale_[gate], item.x_part[gate]);
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
    if constexpr (kTape) {
      save(i, saved);
      record(i, quad, tape_.y, tape_.z);
    }
    if (p_.h_every != nullptr && active) write_every(begin_ + n, item);
  }

  // Gathers the words of four neighbouring units of one row from four lanes.
  __device__ uint4 gather(float h) const {
    const std::uint32_t word = Exchanged::make(h * Exchanged::kScaleOfH);
    const std::uint32_t pair = __shfl_xor_sync(0xffffffffu, word, 4);
    const bool odd = lane_ / 4 % 2 != 0;
    const std::uint32_t a = odd ? pair : word;
    const std::uint32_t b = odd ? word : pair;
    const std::uint32_t c = __shfl_xor_sync(0xffffffffu, a, 8);
    const std::uint32_t d = __shfl_xor_sync(0xffffffffu, b, 8);
    return lane_ / 8 % 2 == 0 ? Exchanged::quad(a, b, c, d) : Exchanged::quad(c, d, a, b);
  }

  // Each of the four lanes sends to every fourth block. Blocks start with different receivers.
  __device__ int peer_block(int m) const { return lane_ / 4 % 4 + 4 * ((m + rank_) % kPeers); }
  __device__ void send_h(int n, int i, uint4 quad) const {
    const int number = unit() / 4;
    const int place = (number / 4 * F::kRowTiles + row_tile(i)) * kStepQuads<F> +
                      quad_place<F>(row_in_tile(i), number % 4);
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

  // Writes what the cell saved to the tape. Past its end, a sequence has arbitrary values there.
  __device__ void save(int i, const float (&saved)[C::kSaved]) const {
    float* to = saved_ + static_cast<std::ptrdiff_t>(tape_.x) * saved_row_floats_ +
                row_tile(i) * F::kTileRows * saved_row_floats_ +
                Saved::place(row_in_tile(i), local_unit());
    const bool there = saved_ != nullptr && (F::kRowTiles == 1 || slot(i) < tape_.y - tape_.x);
#pragma unroll
    for (int s = 0; s < C::kSaved; ++s) store_if(there, to + s * 32, saved[s]);
  }

  // Writes h to the tape as the h_before of the step with rows first … last - 1. Of the four lanes
  // that hold the quad, one writes the high halves and one the low halves.
  __device__ int h_writer() const { return lane_ / 4 % 4; }
  __device__ void record(int i, uint4 quad, int first, int last) const {
    auto* to = h_before_ + static_cast<std::ptrdiff_t>(first + row(i)) * padded();
    const bool there = h_before_ != nullptr && slot(i) < last - first;
    if constexpr (F::kProduct == Product::kSplit) {
      const bool high = h_writer() == 0;
      store_if(there, to, uint2{high ? quad.x : quad.z, high ? quad.y : quad.w});
    } else {
      store_if(there, to, quad);
    }
  }

  __device__ void write_every(int t, const Item& item) const {
    if (unit() >= p_.in.units) return;
    const auto to_row = static_cast<std::size_t>(source_row(p_.in, t, item.sequence, item.length));
    p_.h_every[to_row * p_.in.h_stride + unit()] = item.h;
  }

  __device__ int padded() const { return blocks_ * F::kUnits; }

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
  const std::uint32_t base_;  // its address in shared memory
  const int rank_, blocks_, thread_, warp_, lane_;
  const Layout at_;
  const Exchange exchange_;
  const Weights weights_;
  const int first_slot_, begin_, end_;
  const int width_, inputs_;  // see Features: its width and weights
  Window window_;
  Item items_[kItems];
  float bias_[kPre];
  float first_weight_x_[kPre];
  float scale_[kGates];
  std::uint32_t peer_[kPeers];
  int4 tape_;  // see Window::tape_rows
  // This block's part of the tape of saved values, for tape row 0; null: not kept.
  float* saved_ = nullptr;
  int saved_row_floats_;
  // This lane's place on the tape of h, for tape row 0; null: nothing to write.
  std::conditional_t<F::kProduct == Product::kSplit, __half*, float*> h_before_ = nullptr;
};

template <class F, bool kTable, bool kTape>
__global__ void __launch_bounds__(F::kThreads, 1)
    run_forward(const __grid_constant__ ForwardArguments arguments) {
  extern __shared__ __align__(16) unsigned char memory[];
  ForwardKernel<F, kTable, kTape>(arguments, memory).run();
}

}  // namespace rwa::cuda

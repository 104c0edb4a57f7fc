// src/backend/cuda/persistent_backward.cuh: the backward kernel. A warp owns some rows of the
// slice, a lane one unit of the block: a single warp reduction finds the largest gradient of a row,
// by which the row is scaled before it is split. For the product, each warp serves one block of the
// cluster: it multiplies all of this block's gate gradients by the weights to that block's units,
// and sends the result there.
#pragma once

#include <utility>

#include "backend/cuda/persistent_shared.cuh"

namespace rwa::cuda {

// The product of the block's transposed gate weights and the gate gradients.
template <class C, Product, int S>
class BackwardProduct;

template <class C, int S>
class BackwardProduct<C, Product::kSplit, S> {
 public:
  static constexpr int kSteps = 2 * C::kGates;
  // All k-steps, or as many as balance registers and shared memory.
  static constexpr int kResident = C::kGates * S > 8 ? 5 : kSteps;
  using Stack = Fragments<2, kResident, kSteps>;

  __host__ __device__ static std::size_t shared_bytes(int) {
    return Stack::shared_bytes(kSteps, kGroups * S);
  }
  // `to`: the block that receives the product.
  __device__ BackwardProduct(const Packed& weights, int blocks, int rank, int to, int warp,
                             int lane, void* shared)
      : stack_(weights.backward + static_cast<std::size_t>(rank * blocks + to) * 2 * kSteps * 64,
               kSteps, kSteps, static_cast<uint4*>(shared), warp, lane),
        lane_(lane) {}

  // deltas: [step][row tile][lane]
  template <int NT>
  __device__ void multiply(const uint4* deltas, int row_tile, float (&sum)[2][4]) const {
    stack_.multiply(deltas + row_tile * 32 + lane_, NT * 32, sum);
  }

 private:
  Stack stack_;
  int lane_;
};

template <class C, int S>
class BackwardProduct<C, Product::kExact, S> {
 public:
  static constexpr int kSteps = 2 * C::kGates;
  static constexpr int kDepth = C::kGates * kBlockUnits;

  __host__ __device__ static std::size_t shared_bytes(int blocks) {
    return static_cast<std::size_t>(blocks) * kBlockUnits * kDepth * sizeof(float);
  }
  __device__ BackwardProduct(const Packed& weights, int blocks, int rank, int to, int, int lane,
                             void* shared)
      : lane_(lane),
        stride_(blocks * kBlockUnits),
        weights_(static_cast<float*>(shared) + to * kBlockUnits + lane / 4 * 4) {
    const int size = static_cast<int>(shared_bytes(blocks) / sizeof(uint4));
    const uint4* from = weights.backward + static_cast<std::size_t>(rank) * size;
    for (int i = static_cast<int>(threadIdx.x); i < size; i += static_cast<int>(blockDim.x)) {
      static_cast<uint4*>(shared)[i] = from[i];
    }
  }

  template <int NT>
  __device__ void multiply(const uint4* deltas, int row_tile, float (&sum)[2][4]) const {
    for (int tile = 0; tile < 2; ++tile) {
      for (int c = 0; c < 4; ++c) sum[tile][c] = 0;
    }
    const auto* rows = reinterpret_cast<const float*>(deltas) + row_tile * 128 + lane_ % 4 * 32;
    for (int gate = 0; gate < kDepth; ++gate) {
      const float* at = rows + gate / 16 * NT * 128 + gate % 16;
      const float4 w = *reinterpret_cast<const float4*>(weights_ + gate * stride_);
      const float weights[4] = {w.x, w.y, w.z, w.w};
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        float* to = &sum[j / 2][j % 2 * 2];
        to[0] = fmaf(weights[j], at[0], to[0]);
        to[1] = fmaf(weights[j], at[16], to[1]);
      }
    }
  }

 private:
  int lane_, stride_;
  const float* weights_;
};

template <class C, Product P, int S, int NT>
struct BackwardShared {
  static constexpr int kWarps = kGroups * S;
  static constexpr int kItems = (8 * NT + kWarps - 1) / kWarps;
  // Saved values and dh_every of the next few steps: [step][item][value][thread].
  static constexpr int kRing = 4;
  static constexpr int kRingNumbers = C::kSaved + 1;
  static constexpr std::uint32_t kRingStride = 128 * S * sizeof(float);

  __host__ __device__ BackwardShared(int blocks, const Features& features, int chunk) {
    SharedMemory memory;
    barriers = memory.take(Exchange::kBarrierBytes);
    received = memory.take(2 * received_bytes(blocks));
    deltas = memory.take(2 * kDeltaBytes);
    scales = memory.take(2 * 8 * NT * sizeof(float));
    ring = memory.take(std::size_t{kRing} * kItems * kRingNumbers * kRingStride);
    window = memory.take(Window::shared_bytes(chunk, 8 * NT, features.width));
    weight_x = memory.take(sizeof(float) * C::kInputs * kBlockUnits * features.weights);
    sums = memory.take(
        features.is_summed() ? sizeof(float) * sum_count(features.weights) * 128 * S : 0);
    weights = memory.take(BackwardProduct<C, P, S>::shared_bytes(blocks));
    bytes = memory.bytes;
  }
  // Bytes of one of the two buffers: [sending block][row][32 units].
  __host__ __device__ static std::size_t received_bytes(int blocks) {
    return std::size_t{8} * blocks * NT * kBlockUnits * sizeof(float);
  }
  static constexpr std::uint32_t kDeltaBytes = 2 * C::kGates * NT * 32 * sizeof(uint4);
  // Sums per thread for the gradients of weight_x and bias.
  __host__ __device__ static int sum_count(int inputs) {
    return kItems * kPreactivations<C> * (inputs + 1);
  }
  std::uint32_t barriers, received, deltas, scales, ring, window, weight_x, sums, weights, bytes;
};

template <class C, Product P, int S, int NT, bool kTable>
class BackwardKernel {
 public:
  __device__ BackwardKernel(const BackwardArguments& arguments, unsigned char* memory)
      : p_(arguments),
        memory_(memory),
        rank_(static_cast<int>(blockIdx.x)),
        blocks_(static_cast<int>(gridDim.x)),
        warp_(static_cast<int>(threadIdx.x) / 32),
        lane_(static_cast<int>(threadIdx.x) % 32),
        to_(min(warp_, blocks_ - 1)),
        at_(blocks_, p_.in.features, p_.in.chunk),
        exchange_(memory + at_.barriers, blocks_ * kRows * kBlockUnits * 4),
        weights_(p_.weights, blocks_, rank_, to_, warp_, lane_, memory + at_.weights),
        first_slot_(kRows * static_cast<int>(blockIdx.y)),
        begin_(p_.in.begin),
        end_(min(p_.in.end, p_.in.rows.length[first_slot_])),
        window_(p_.in, memory + at_.window, kRows, first_slot_, end_ - 1, -1, begin_, end_) {}

  __device__ void run() {
    prepare();
    int n = 0;
    for (; end_ - 1 - n >= begin_; ++n) step(n);
    finish(n);
    cluster_sync();
  }

 private:
  using Layout = BackwardShared<C, P, S, NT>;
  using Weights = BackwardProduct<C, P, S>;
  static constexpr int kRows = 8 * NT;
  static constexpr int kItems = Layout::kItems;
  static constexpr int kWarps = Layout::kWarps;
  static constexpr int kGates = C::kGates;
  static constexpr int kPre = kPreactivations<C>;
  // Steps fetched ahead. Step t reads the ring entries of t and t - 1.
  static constexpr int kAhead = Layout::kRing - 1;

  struct Item {
    float saved[C::kSaved];  // by forward at this step
    float memory;            // state[0] before this step
    float dh_every;          // gradient from the loss at this step
    float h;
    float inputs[C::kInputs + 1];
    float carry[C::kCarry];
    float first_memory;  // state[0] before step `begin`
    float dh_last;
    float delta[kPre];
    std::uint32_t largest;  // of the row's |gate gradients|, as bits
    int slot, sequence, length;
    int x;  // offset of its features or symbol in the window
  };

  __device__ int row(int i) const { return warp_ + kWarps * i; }
  __device__ bool has_item(int i) const { return row(i) < kRows; }
  __device__ int unit() const { return kBlockUnits * rank_ + lane_; }
  __device__ int padded() const { return blocks_ * kBlockUnits; }
  __device__ bool is_unit() const { return unit() < p_.in.units; }
  __device__ int features() const { return p_.in.features.weights; }
  __device__ bool sums_x() const { return !kTable && p_.in.features.is_summed(); }

  __device__ void prepare() {
    if (threadIdx.x == 0) exchange_.start();
    const int size = C::kInputs * kBlockUnits * features();
    auto* weight_x = reinterpret_cast<float*>(memory_ + at_.weight_x);
    const std::size_t first =
        static_cast<std::size_t>(rank_ * kPre + kGates) * kBlockUnits * features();
    for (int i = static_cast<int>(threadIdx.x); i < size; i += static_cast<int>(blockDim.x)) {
      weight_x[i] = p_.weights.weight_x[first + i];
    }
#pragma unroll
    for (int input = 0; input < C::kInputs; ++input) {
      const int row_number = rank_ * kPre + kGates + input;
      bias_[input] = p_.weights.bias[row_number * kBlockUnits + lane_];
      first_weight_x_[input] = p_.weights.weight_x[row_number * features() * kBlockUnits + lane_];
    }
    scale_ = p_.weights.scale[kGates];
    peer_ = peer_address(shared_address(memory_), static_cast<unsigned>(to_));
    saved_row_ = p_.in.saved_from_begin ? offset(begin_) : 0;
    start_items();
    if (begin_ < end_) {
      window_.start();
      see(end_ - 1);
    }
    cluster_sync();
  }

  __device__ int offset(int t) const {
    return p_.in.rows.offset[min(max(t, 0), p_.in.rows.capacity)];
  }

  __device__ void start_items() {
    const Start<C> start{&p_.in, p_.initial_state, p_.weights.start};
#pragma unroll
    for (int i = 0; i < kItems; ++i) {
      Item& item = items_[i];
      item.slot = first_slot_ + (has_item(i) ? row(i) : 0);
      item.sequence = has_item(i) ? p_.in.rows.sequence[item.slot] : -1;
      item.length = item.sequence < 0 ? 0 : p_.in.rows.length[item.slot];
      item.first_memory = start.template state<0>(item.sequence, unit());
      const bool wanted = p_.dh_last != nullptr && item.sequence >= 0 && is_unit();
      const std::size_t last_at =
          static_cast<std::size_t>(wanted ? item.sequence : 0) * p_.last_stride + unit();
      item.dh_last = wanted ? p_.dh_last[last_at] : 0;
#pragma unroll
      for (int c = 0; c < C::kCarry; ++c) {
        if (p_.later != nullptr) {
          item.carry[c] = has_item(i) ? p_.later[neighbour(item, 1 + c)] : 0;
        } else {
          item.carry[c] =
              wanted && p_.last_has_carry ? p_.dh_last[last_at + (1 + c) * p_.in.units] : 0;
        }
      }
      item.x = row(i) * p_.in.features.width;
      // The gradient from later steps takes the place of the shares for the first step.
      if (!has_item(i)) continue;
#pragma unroll
      for (int block = 0; block < kWarps; ++block) {
        const float later = p_.later != nullptr ? p_.later[neighbour(item, 0)] : 0.0f;
        if (block < blocks_) share_of(0, block, i) = block == 0 ? later : 0.0f;
      }
    }
    for (int t = end_ - 1; t > end_ - 1 - kAhead; --t) fetch(t, offset(t));
    for (int k = 0; sums_x() && k < Layout::sum_count(features()); ++k) {
      *x_sum(k) = p_.later != nullptr && has_item(item_of(k)) ? p_.x_sums[place_of(k)] : 0;
    }
  }
  // Index into `later` and `earlier`, [1 + carry][slots][Hp].
  __device__ std::size_t neighbour(const Item& item, int number) const {
    return (static_cast<std::size_t>(number) * p_.in.rows.slots + item.slot) * padded() + unit();
  }

  // Starts copying the saved values of step t, whose first tape row is given. Every thread copies
  // only what it reads itself, so no barrier is needed.
  __device__ void fetch(int t, int first_row) const {
#pragma unroll
    for (int i = 0; i < kItems; ++i) {
      const Item& item = items_[i];
      const bool there = t >= begin_ && t < item.length;
      const int row_number = there ? first_row - saved_row_ + item.slot : 0;
      const float* from =
          p_.saved + row_number * (static_cast<std::size_t>(C::kSaved) * padded()) + unit();
      const std::uint32_t to = shared_address(ring(t, i));
#pragma unroll
      for (int s = 0; s < C::kSaved; ++s) {
        copy_later(to + s * Layout::kRingStride, from + s * padded(), there);
      }
      if (p_.dh_every == nullptr) continue;
      const bool wanted = there && is_unit();
      copy_later(to + C::kSaved * Layout::kRingStride,
                 p_.dh_every + (wanted ? every(item, t) : 0), wanted);
    }
    end_group();
  }
  __device__ float* ring(int t, int i) const {
    return reinterpret_cast<float*>(memory_ + at_.ring) +
           ((t & (Layout::kRing - 1)) * kItems + i) * Layout::kRingNumbers * 128 * S +
           static_cast<int>(threadIdx.x);
  }
  __device__ std::size_t every(const Item& item, int t) const {
    const int from_row = source_row(p_.in, t, item.sequence, item.length);
    return static_cast<std::size_t>(from_row) * p_.in.h_stride + unit();
  }

  // Computes everything of step t that does not depend on dh.
  __device__ void see(int t) {
    wait_for_groups<kAhead - 2>();
    tape_ = window_.tape_rows();
    const auto* weight_x = reinterpret_cast<const float*>(memory_ + at_.weight_x) + lane_;
#pragma unroll
    for (int i = 0; i < kItems; ++i) {
      Item& item = items_[i];
      constexpr int kStride = 128 * S;
#pragma unroll
      for (int s = 0; s < C::kSaved; ++s) item.saved[s] = ring(t, i)[s * kStride];
      item.dh_every = p_.dh_every != nullptr ? ring(t, i)[C::kSaved * kStride] : 0.0f;
      item.memory = t > begin_ ? ring(t - 1, i)[C::kMemory * kStride] : item.first_memory;
      item.h = C::output(item.saved);
      if (!has_item(i)) continue;
      if constexpr (C::kInputs > 0) {
        const float* x = window_.at(item.x);
        if constexpr (kTable) {
          load_inputs<C, kGates>(p_.in, x, t, item.sequence, item.length, unit(), padded(),
                                 item.inputs);
        } else {
          add_inputs<C::kInputs>(x, first_weight_x_, weight_x, bias_, features(), item.inputs);
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
    if (warp_ < blocks_) send_shares(n);
    if (n > 0 && threadIdx.x == 0) exchange_.reuse(n);
#pragma unroll
    for (int i = 0; i < kItems; ++i) {
      if (has_item(i)) conclude(i);
    }
    fetch(t - kAhead, tape_.x);
    if (t > begin_) {
      window_.advance(n + 1);
      see(t - 1);
    }
    exchange_.wait(n + 1);
  }

  // The share of an item's dh from `block`, for step n.
  __device__ float& share_of(int n, int block, int i) const {
    return reinterpret_cast<float*>(memory_ + at_.received + (n & 1) * received_bytes())
        [(block * kRows + row(i)) * kBlockUnits + lane_];
  }
  // An item's dh: the sum of all blocks' shares.
  __device__ float received(int n, int i) const {
    float shares[kWarps];
#pragma unroll
    for (int block = 0; block < kWarps; ++block) {
      shares[block] = block < blocks_ ? share_of(n, block, i) : 0.0f;
    }
    float sum = shares[0];
#pragma unroll
    for (int block = 1; block < kWarps; ++block) sum += shares[block];
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
    const float up = P == Product::kSplit ? __int_as_float((kOne + raise) << 23) : 1.0f;
    const float down = P == Product::kSplit ? __int_as_float((kOne - raise) << 23) : 1.0f;
    if (lane_ == 0) scales(n)[row(i)] = down;
    std::uint32_t words[kGates];
#pragma unroll
    for (int gate = 0; gate < kGates; ++gate) words[gate] = Word<P>::make(item.delta[gate] * up);
    // A quad is the four gates of one unit, or the two gates of two units.
    const int quad = lane_ * kGates / 4;
    uint4* to = deltas(n) + ((quad / 4) * NT + row(i) / 8) * 32 + row(i) % 8 * 4 + quad % 4;
    if constexpr (kGates == 4) {
      *to = Word<P>::quad(words[0], words[1], words[2], words[3]);
    } else {
      static_assert(kGates == 2);
      Word<P>::store_half(to, lane_ % 2, words[0], words[1]);
    }
  }
  __device__ float* scales(int n) const {
    return reinterpret_cast<float*>(memory_ + at_.scales) + (n & 1) * kRows;
  }
  __device__ uint4* deltas(int n) const {
    return reinterpret_cast<uint4*>(memory_ + at_.deltas + (n & 1) * Layout::kDeltaBytes);
  }

  // Sends this block's share of dh to block `to_`, for its units at the previous step.
  __device__ void send_shares(int n) {
    const std::uint32_t barrier_there = peer_ + at_.barriers + Exchange::offset(n + 1);
    const std::uint32_t there = peer_ + at_.received + ((n + 1) & 1) * received_bytes() +
                                static_cast<std::uint32_t>(rank_ * kRows * kBlockUnits * 4);
    const float2* row_scales = reinterpret_cast<const float2*>(scales(n)) + lane_ % 4;
#pragma unroll
    for (int tile = 0; tile < NT; ++tile) {
      const float2 two = row_scales[4 * tile];
      const float row_scale[2] = {two.x * scale_, two.y * scale_};
      float sum[2][4];
      weights_.template multiply<NT>(deltas(n), tile, sum);
#pragma unroll
      for (int column = 0; column < 2; ++column) {
        const int row_number = 8 * tile + 2 * (lane_ % 4) + column;
        const auto word = [&](int j) {
          return __float_as_uint(sum[j / 2][j % 2 * 2 + column] * row_scale[column]);
        };
        send(there + static_cast<std::uint32_t>((row_number * kBlockUnits + lane_ / 4 * 4) * 4),
             {word(0), word(1), word(2), word(3)}, barrier_there);
      }
    }
  }

  // Writes what no other thread waits for: the gradients on the tape and the sums over x.
  __device__ void conclude(int i) {
    const Item& item = items_[i];
    // The tape has all slots of an octet that has this step.
    const bool is_on_tape = item.slot < tape_.z - tape_.y;
    const auto tape_row = static_cast<std::size_t>(tape_.y + item.slot);
    float* to = p_.delta + (tape_row * padded() + unit()) * kGates;
    if (is_on_tape) store_gates<kGates>(to, item.delta);
    if (is_on_tape && P == Product::kSplit && lane_ == 0) {
      p_.delta_max[tape_row * blocks_ + rank_] = __uint_as_float(item.largest);
    }
    if (C::kInputs > 0 && p_.delta_input != nullptr) {
      if (is_on_tape) p_.delta_input[tape_row * padded() + unit()] = item.delta[kPre - 1];
    }
    if (sums_x()) add_x_sums(item, i);
  }

  // Per item [D + 1][pre-activation], the bias first. Reads all before writing any, so that the
  // loads overlap.
  __device__ void add_x_sums(const Item& item, int i) {
    const float* x = window_.at(item.x);
    constexpr int kStride = 128 * S;
    float* to = x_sum(i * kPre * (features() + 1));
    float sums[2][kPre];
#pragma unroll
    for (int pre = 0; pre < kPre; ++pre) {
      sums[0][pre] = to[pre * kStride] + item.delta[pre];
      sums[1][pre] = fmaf(item.delta[pre], x[0], to[(kPre + pre) * kStride]);
    }
#pragma unroll
    for (int pre = 0; pre < kPre; ++pre) {
      to[pre * kStride] = sums[0][pre];
      to[(kPre + pre) * kStride] = sums[1][pre];
    }
#pragma unroll 1
    for (int d = 1; d < features(); ++d) {
      to += kPre * kStride;
#pragma unroll
      for (int pre = 0; pre < kPre; ++pre) {
        sums[0][pre] = fmaf(item.delta[pre], x[d], to[(kPre + pre) * kStride]);
      }
#pragma unroll
      for (int pre = 0; pre < kPre; ++pre) to[(kPre + pre) * kStride] = sums[0][pre];
    }
  }
  __device__ float* x_sum(int k) const {
    return reinterpret_cast<float*>(memory_ + at_.sums) + k * 128 * S +
           static_cast<int>(threadIdx.x);
  }
  __device__ int item_of(int k) const { return k / (kPre * (features() + 1)); }
  __device__ std::size_t place_of(int k) const {
    const int per_row = kPre * (features() + 1);
    const auto slot = static_cast<std::size_t>(first_slot_ + row(k / per_row));
    return (slot * per_row + k % per_row) * padded() + unit();
  }

  __device__ void finish(int n) {
#pragma unroll
    for (int i = 0; i < kItems; ++i) {
      if (!has_item(i)) continue;
      const Item& item = items_[i];
      float dh = received(n, i);
      if (begin_ == 0 && item.length == 0) dh += item.dh_last;
      p_.earlier[neighbour(item, 0)] = dh;
#pragma unroll
      for (int c = 0; c < C::kCarry; ++c) p_.earlier[neighbour(item, 1 + c)] = item.carry[c];
    }
    for (int k = 0; sums_x() && k < Layout::sum_count(features()); ++k) {
      if (has_item(item_of(k))) p_.x_sums[place_of(k)] = *x_sum(k);
    }
  }

  const BackwardArguments& p_;
  unsigned char* memory_;
  const int rank_, blocks_, warp_, lane_;
  const int to_;
  const Layout at_;
  const Exchange exchange_;
  const Weights weights_;
  const int first_slot_, begin_, end_;
  Window window_;
  Item items_[kItems];
  float bias_[C::kInputs + 1];
  float first_weight_x_[C::kInputs + 1];
  float scale_;
  std::uint32_t peer_;
  int4 tape_;  // see Window::tape_rows
  int saved_row_;
};

template <class C, Product P, int S, int NT, bool kTable>
__global__ void __launch_bounds__(128 * S, 1)
    run_backward(const __grid_constant__ BackwardArguments arguments) {
  extern __shared__ __align__(16) unsigned char memory[];
  BackwardKernel<C, P, S, NT, kTable>(arguments, memory).run();
}

}  // namespace rwa::cuda

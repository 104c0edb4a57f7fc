// src/backend/cuda/persistent_shared.cuh: parts common to the forward and backward persistent
// kernels: weight fragments on chip, the exchange between blocks, and x from shared memory or a
// table.
#pragma once

#include "backend/cuda/cells.cuh"
#include "backend/cuda/cluster.cuh"
#include "backend/cuda/persistent.h"
#include "backend/cuda/split_gradients.h"

namespace rwa::cuda {

template <class C>
inline constexpr int kPreactivations = C::kGates + C::kInputs;

// Allocates parts of a block's shared memory at 16-byte boundaries, identically on host and device.
struct SharedMemory {
  std::uint32_t bytes = 0;
  __host__ __device__ std::uint32_t take(std::size_t size) {
    const std::uint32_t at = bytes;
    bytes += static_cast<std::uint32_t>((size + 15) / 16 * 16);
    return at;
  }
};

// The 4-byte word in which blocks exchange a value, and four of them, a quad, as a lane's operand.
template <Product>
struct Word;

template <>
struct Word<Product::kSplit> {
  __device__ static std::uint32_t make(float scaled) { return split(scaled); }
  __device__ static uint4 quad(std::uint32_t a, std::uint32_t b, std::uint32_t c,
                               std::uint32_t d) {
    return {high_halves(a, b), high_halves(c, d), low_halves(a, b), low_halves(c, d)};
  }
  // Stores two words of a quad: the first two if `half` is 0, else the last two.
  __device__ static void store_half(uint4* to, int half, std::uint32_t a, std::uint32_t b) {
    reinterpret_cast<std::uint32_t*>(to)[half] = high_halves(a, b);
    reinterpret_cast<std::uint32_t*>(to)[half + 2] = low_halves(a, b);
  }
  static constexpr float kScaleOfH = kSplitScale;
};

template <>
struct Word<Product::kExact> {
  __device__ static std::uint32_t make(float value) { return __float_as_uint(value); }
  __device__ static uint4 quad(std::uint32_t a, std::uint32_t b, std::uint32_t c,
                               std::uint32_t d) {
    return {a, b, c, d};
  }
  __device__ static void store_half(uint4* to, int half, std::uint32_t a, std::uint32_t b) {
    reinterpret_cast<uint2*>(to)[half] = {a, b};
  }
  static constexpr float kScaleOfH = 1;
};

// What blocks send each other for every step, double-buffered in shared memory. One mbarrier per
// buffer counts the bytes received. Steps are numbered from 0; nothing is sent for step 0. Two
// buffers suffice: a warp sends for step n + 2 only after step n + 1 has arrived in full, and its
// senders had read step n by then.
class Exchange {
 public:
  static constexpr int kBarrierBytes = 16;

  __device__ Exchange(const void* barriers, int step_bytes)
      : barriers_(shared_address(barriers)), step_bytes_(static_cast<std::uint32_t>(step_bytes)) {}

  // Called by one thread, before cluster_sync().
  __device__ void start() const {
    for (int n = 0; n < 2; ++n) init_barrier(barriers_ + offset(n));
    publish_barriers();
    for (int n = 0; n < 2; ++n) arm_barrier(barriers_ + offset(n), step_bytes_);
  }
  // Waits for all bytes of step n.
  __device__ void wait(int n) const {
    wait_barrier(barriers_ + offset(n), static_cast<unsigned>((n - 1) >> 1) & 1);
  }
  // Called by one thread after wait(n). Arms the barrier for step n + 2, which uses the same buffer
  // and whose bytes cannot all have arrived yet.
  __device__ void reuse(int n) const { arm_barrier(barriers_ + offset(n), step_bytes_); }

  // Byte offset of step n's barrier.
  __device__ static std::uint32_t offset(int n) { return 8 * (n & 1); }

 private:
  std::uint32_t barriers_, step_bytes_;
};

// Stores one value per gate in a single access.
template <int Gates>
__device__ __forceinline__ void store_gates(float* to, const float* values) {
  static_assert(Gates == 2 || Gates == 4);
  if constexpr (Gates == 2) {
    *reinterpret_cast<float2*>(to) = {values[0], values[1]};
  } else {
    *reinterpret_cast<float4*>(to) = {values[0], values[1], values[2], values[3]};
  }
}

// A warp's weight fragments for at most `Most` k-steps of mma: the first `Resident` steps in
// registers, the rest in shared memory.
template <int Tiles, int Resident, int Most>
class Fragments {
 public:
  __host__ __device__ static std::size_t shared_bytes(int stride, int warps) {
    return stride <= Resident ? 0
                              : static_cast<std::size_t>(stride - Resident) * Tiles * 64 *
                                    sizeof(uint4) * warps;
  }

  // from: [tile][step][high, low][lane]. A tile has `stride` steps; the first `steps` are used.
  __device__ Fragments(const uint4* from, int steps, int stride, uint4* shared, int warp, int lane)
      : steps_(steps), rest_(shared) {
#pragma unroll
    for (int tile = 0; tile < Tiles; ++tile) {
#pragma unroll
      for (int step = 0; step < Resident; ++step) {
        const bool there = step < steps;
        const uint4* at = from + (tile * stride + step) * 64 + lane;
        high_[tile][step] = there ? at[0] : uint4{};
        low_[tile][step] = there ? at[32] : uint4{};
      }
    }
    if (stride <= Resident) return;
    rest_ += static_cast<std::size_t>(warp) * (stride - Resident) * Tiles * 64 + lane;
    for (int tile = 0; tile < Tiles; ++tile) {
      for (int step = Resident; step < steps; ++step) {
        const uint4* at = from + (tile * stride + step) * 64 + lane;
        uint4* to = rest_ + ((step - Resident) * Tiles + tile) * 64;
        to[0] = at[0];
        to[32] = at[32];
      }
    }
  }

  // Multiplies by `words`, [step][stride], which points at this lane's word of step 0.
  __device__ void multiply(const uint4* words, int stride, float (&sum)[Tiles][4]) const {
    Sums sums = {};
    if (steps_ >= Resident) {
      // No branches, so that loads overlap with mma.
#pragma unroll
      for (int step = 0; step < Resident; ++step) add(sums, step, words[step * stride]);
    } else {
#pragma unroll
      for (int step = 0; step < Resident; ++step) {
        if (step < steps_) add(sums, step, words[step * stride]);
      }
    }
#pragma unroll 1
    for (int step = Resident; Most > Resident && step < steps_; ++step) {
      const uint4 word = words[step * stride];
#pragma unroll
      for (int tile = 0; tile < Tiles; ++tile) {
        const uint4* at = rest_ + ((step - Resident) * Tiles + tile) * 64;
        add_three(sums.of[0][tile], at[0], at[32], word);
      }
    }
#pragma unroll
    for (int tile = 0; tile < Tiles; ++tile) {
#pragma unroll
      for (int c = 0; c < 4; ++c) {
        sum[tile][c] = sums.of[0][tile].total(c);
        if (kChains > 1) sum[tile][c] += sums.of[kChains - 1][tile].total(c);
      }
    }
  }

 private:
  // Six independent accumulators hide the latency of mma.
  static constexpr int kChains = Tiles == 1 ? 2 : 1;
  struct Three {
    float high[4], cross[4], other[4];
    __device__ float total(int c) const { return high[c] + (cross[c] + other[c]); }
  };
  struct Sums {
    Three of[kChains][Tiles];
  };
  __device__ static void add_three(Three& sums, uint4 high, uint4 low, uint4 word) {
    multiply_add(sums.high, high, word.x, word.y);
    multiply_add(sums.cross, high, word.z, word.w);
    multiply_add(sums.other, low, word.x, word.y);
  }
  __device__ void add(Sums& sums, int step, uint4 word) const {
#pragma unroll
    for (int tile = 0; tile < Tiles; ++tile) {
      add_three(sums.of[step % kChains][tile], high_[tile][step], low_[tile][step], word);
    }
  }

  int steps_;
  uint4* rest_;
  uint4 high_[Tiles][Resident];
  uint4 low_[Tiles][Resident];
};

// The row of x, h_every and dh_every for step t of a sequence that has this step.
__device__ __forceinline__ int source_row(const KernelBatch& in, int t, int sequence, int length) {
  return (in.reverse ? length - 1 - t : t) * in.batch + sequence;
}

// Prefetches per-step inputs into shared memory, a chunk of steps at a time, double-buffered: the
// tape offsets of the step, and the features or symbols of the slice's rows. Steps are counted in
// the order in which the kernel takes them.
class Window {
 public:
  __host__ __device__ static std::size_t shared_bytes(int chunk, int rows, int width) {
    return std::size_t{2} * chunk * (kTapeRows + rows * width) * sizeof(float);
  }

  // Starts at first_step and goes by `direction`, 1 or -1; only steps begin … end - 1 exist.
  __device__ Window(const KernelBatch& in, void* memory, int rows, int first_slot, int first_step,
                    int direction, int begin, int end)
      : in_(in),
        memory_(static_cast<float*>(memory)),
        first_slot_(first_slot),
        first_step_(first_step),
        direction_(direction),
        begin_(begin),
        end_(end),
        left_(in.chunk),
        size_(kTapeRows + rows * in.features.width),
        now_(memory_) {}

  // Called by all threads before the first step.
  __device__ void start() {
    fetch(0);
    turn(0);
  }
  // Moves to step `count`. Called by all threads. At a chunk's start, waits for that chunk and
  // starts copying the next.
  __device__ void advance(int count) {
    now_ += size_;
    if (--left_ > 0) return;
    left_ = in_.chunk;
    if (count / in_.chunk % 2 == 0) now_ = memory_;
    turn(count);
  }
  // The first tape rows of steps t - 3, t, t + 1 and t + 2, where t is the current step.
  __device__ int4 tape_rows() const { return *reinterpret_cast<const int4*>(now_); }
  // The features or symbol of row r of the slice: at(r * width).
  __device__ const float* at(int offset) const { return now_ + kTapeRows + offset; }

 private:
  static constexpr int kTapeRows = 4;

  __device__ void turn(int count) {
    wait_for_copies();
    __syncthreads();
    fetch(count + in_.chunk);
  }
  // Starts copying the chunk that begins with step `count`.
  __device__ void fetch(int count) const {
    const std::uint32_t to =
        shared_address(memory_ + (count / in_.chunk % 2 == 0 ? 0 : in_.chunk * size_));
    for (int i = static_cast<int>(threadIdx.x); i < in_.chunk * size_;
         i += static_cast<int>(blockDim.x)) {
      const int t = first_step_ + direction_ * (count + i / size_);
      const int number = i % size_;
      copy_later(to + static_cast<std::uint32_t>(i) * 4, source(t, number),
                 number < kTapeRows || is_there(t, (number - kTapeRows) / in_.features.width));
    }
  }
  __device__ bool is_there(int t, int row) const {
    return t >= begin_ && t < end_ && t < in_.rows.length[first_slot_ + row];
  }
  __device__ const void* source(int t, int number) const {
    if (number < kTapeRows) {
      const int step = t + number - (number == 0 ? 3 : 1);
      return in_.rows.offset + min(max(step, 0), in_.rows.capacity);
    }
    const int width = in_.features.width;
    const int slot = first_slot_ + (number - kTapeRows) / width;
    if (!is_there(t, (number - kTapeRows) / width)) return in_.x;
    const auto row = static_cast<std::size_t>(
        source_row(in_, t, in_.rows.sequence[slot], in_.rows.length[slot]));
    return static_cast<const float*>(in_.x) + row * width + (number - kTapeRows) % width;
  }

  const KernelBatch& in_;
  float* memory_;
  int first_slot_, first_step_, direction_, begin_, end_;
  int left_;     // steps left in this chunk, including the current one
  int size_;     // floats per step
  float* now_;   // the current step
};

// Computes b + W x for `Count` pre-activations of one unit. The weights of feature 0, often the
// only one, are in registers (`first`); the others are in shared memory, [Count][D][32].
template <int Count>
__device__ __forceinline__ void add_inputs(const float* x, const float* first,
                                           const float* weights, const float* bias, int inputs,
                                           float* sums) {
#pragma unroll
  for (int i = 0; i < Count; ++i) sums[i] = fmaf(x[0], first[i], bias[i]);
#pragma unroll 2
  for (int d = 1; d < inputs; ++d) {
    const float feature = x[d];
#pragma unroll
    for (int i = 0; i < Count; ++i) {
      sums[i] = fmaf(feature, weights[(i * inputs + d) * kBlockUnits], sums[i]);
    }
  }
}

// Loads b + W x from the table for all pre-activations from `First` on. x: the row's entry in the
// window. Does not wait for the loads. Past the sequence's end they return an arbitrary row.
template <class C, int First>
__device__ __forceinline__ void load_inputs(const KernelBatch& in, const float* x, int t,
                                            int sequence, int length, int unit, int padded,
                                            float* sums) {
  int row = t < length ? source_row(in, t, sequence, length) : 0;
  if (in.features.width > 0) row = *reinterpret_cast<const int*>(x);
  const float* from =
      in.x_part + (static_cast<std::size_t>(row) * kPreactivations<C> + First) * padded + unit;
#pragma unroll
  for (int i = 0; i < kPreactivations<C> - First; ++i) sums[i] = from[i * padded];
}

// The state from which a sequence starts or continues.
template <class C>
struct Start {
  const KernelBatch* in;
  const float* initial;  // [B, 1 + state, H], or null
  const float* start;    // s_0

  __device__ float h(int sequence, int unit) const {
    if (sequence < 0 || unit >= in->units) return 0;
    if (initial != nullptr) return initial[at(sequence, 0, unit)];
    return C::kLearnedStart ? C::Activation::apply(start[unit]) : 0.0f;
  }
  template <int I>
  __device__ float state(int sequence, int unit) const {
    constexpr float kFirst = cells::make_tables<C>().initial_state[I];
    if (sequence < 0 || unit >= in->units || initial == nullptr) return kFirst;
    return initial[at(sequence, 1 + I, unit)];
  }
  __device__ std::size_t at(int sequence, int number, int unit) const {
    return (static_cast<std::size_t>(sequence) * (1 + C::kState) + number) * in->units + unit;
  }
};

}  // namespace rwa::cuda

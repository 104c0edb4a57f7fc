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

// A shape as constants: the cell, the products, the units and warps of a block, the rows of a
// slice. A tile of rows is what one product takes: eight columns, one for each of eight rows, or
// with four rows two for each, the high and the low halves.
template <class CellType, Product P, int Units, int Warps, int Rows>
struct Form {
  using Cell = CellType;
  static constexpr Product kProduct = P;
  static constexpr int kUnits = Units;
  static constexpr int kWarps = Warps;
  static constexpr int kRows = Rows;

  static constexpr int kGates = Cell::kGates;
  static constexpr int kPre = kPreactivations<Cell>;
  static constexpr int kThreads = 32 * Warps;
  static constexpr int kTileRows = Rows < 8 ? Rows : 8;
  static constexpr int kRowTiles = Rows / kTileRows;
  static constexpr bool kNarrow = kTileRows == 4;
  static constexpr int kUnitGroups = Units / kUnitGroup;
  static constexpr int kMostBlocks = (Warps > 8 ? kMostUnits : kFewUnits) / Units;
  static_assert(kTileRows == 4 || kTileRows == 8);
  static_assert(P == Product::kSplit || !kNarrow);
};

// The tape of what the cell saved: for each tile of rows and block, lines of 32 values, [line][value]
// [32]. A line has the rows and units of a warp's item in the forward kernel, so that it is written
// as a whole. The backward kernel reads one row of 32 units at a time, so the places in a line are
// swizzled by its units, which puts that row into different banks of shared memory.
template <class F>
struct SavedLines {
  static constexpr int kLineUnits = F::kGates == 4 ? 4 : 8;
  static constexpr int kParities = F::kGates == 2 && !F::kNarrow ? 2 : 1;
  static constexpr int kValues = F::Cell::kSaved;
  static constexpr int kTileFloats = F::kTileRows * F::kUnits * kValues;

  // Row of a tile, unit of a block.
  __device__ static int place(int row, int unit) {
    const int line = unit / kLineUnits * kParities + row % kParities;
    const int lane =
        unit % kLineUnits * 4 + (F::kNarrow ? row : row / 2) + (F::kGates == 4 ? row % 2 * 16 : 0);
    const int group = unit / kLineUnits;
    const int swizzle = F::kGates == 4 ? group % 4 + group / 4 % 2 * 16 : group % 4;
    return line * (kValues * 32) + (lane ^ swizzle);
  }
  // First float of the tile of rows that begins with tape row `row`.
  __device__ static std::size_t tile(int row, int blocks, int rank) {
    return (static_cast<std::size_t>(row / F::kTileRows) * blocks + rank) * kTileFloats;
  }
};

// Keeps a value in its register. The compiler would rather compute or load it again in every step,
// and the load would wait behind the stores in flight.
__device__ __forceinline__ int pinned(int value) {
  asm volatile("" : "+r"(value));
  return value;
}
__device__ __forceinline__ std::uint32_t pinned(std::uint32_t value) {
  asm volatile("" : "+r"(value));
  return value;
}
__device__ __forceinline__ float pinned(float value) {
  asm volatile("" : "+f"(value));
  return value;
}
template <class T>
__device__ __forceinline__ T* pinned(T* value) {
  asm volatile("" : "+l"(value));
  return value;
}

// A quad is four neighbouring units of one row. quad_place() is its position among the four quads
// of a k-step for all rows of a tile. What a warp sends to one block fills lines of 128 bytes, since
// the SM-to-SM network is limited by lines; within lines, quads are swizzled so that loads are free
// of bank conflicts.
template <class F>
__device__ constexpr int quad_place(int row, int quad) {
  if constexpr (F::kNarrow) return quad * 4 + (row ^ (quad & 2));
  if constexpr (F::kGates == 4) return quad * 8 + (row ^ (2 * quad));
  const int line = quad / 2 * 2 + row % 2;
  return line * 8 + ((row / 2 * 2 + quad % 2) ^ (line * 2));
}
// Quads per k-step and tile of rows.
template <class F>
inline constexpr int kStepQuads = 4 * F::kTileRows;

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
  __device__ static uint4 quad(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
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
  __device__ static uint4 quad(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
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

  // barriers: an address in shared memory.
  __device__ Exchange(std::uint32_t barriers, int step_bytes)
      : barriers_(barriers), step_bytes_(static_cast<std::uint32_t>(step_bytes)) {}

  // Called by one thread, before cluster_sync().
  __device__ void start() const {
    for (int n = 0; n < 2; ++n) init_barrier(barriers_ + offset(n));
    publish_barriers();
    for (int n = 0; n < 2; ++n) arm_barrier(barriers_ + offset(n), step_bytes_);
  }
  // Waits for all bytes of step n.
  __device__ void wait(int n) const {
    wait_barrier(barriers_ + offset(n), static_cast<unsigned>((n - 1) >> 1) & 1);
    __syncwarp();  // tells the compiler that lanes are together again
  }
  // Called by one thread after wait(n). Arms the barrier for step n + 2, which uses the same buffer
  // and whose bytes cannot all have arrived yet.
  __device__ void reuse(int n) const { arm_barrier(barriers_ + offset(n), step_bytes_); }

  // Byte offset of step n's barrier.
  __device__ static std::uint32_t offset(int n) { return 8 * (n & 1); }

 private:
  std::uint32_t barriers_, step_bytes_;
};

// One value per gate, for a single access.
template <int Gates>
__device__ __forceinline__ auto packed_gates(const float* values) {
  static_assert(Gates == 2 || Gates == 4);
  const auto bits = [&](int gate) { return __float_as_uint(values[gate]); };
  if constexpr (Gates == 2) {
    return uint2{bits(0), bits(1)};
  } else {
    return uint4{bits(0), bits(1), bits(2), bits(3)};
  }
}

// Accumulates the products of fragments of weights with a tile of rows. Of the four products of
// halves, low times low is left out.
template <bool kNarrow>
struct Accumulator;

// Eight rows, a column each. A lane gets rows 2 (l % 4) and the next, for rows l / 4 and l / 4 + 8
// of the weights.
template <>
struct Accumulator<false> {
  using Word = uint4;
  static constexpr int kValues = 4;
  float high[4], cross[4], other[4];
  __device__ void add(uint4 weights_high, uint4 weights_low, Word word) {
    multiply_add(high, weights_high, word.x, word.y);
    multiply_add(cross, weights_high, word.z, word.w);
    multiply_add(other, weights_low, word.x, word.y);
  }
  __device__ float total(int c) const { return high[c] + (cross[c] + other[c]); }
};

// Four rows, two columns each, the high and the low halves. A lane gets row l % 4.
template <>
struct Accumulator<true> {
  using Word = uint2;
  static constexpr int kValues = 2;
  float high[4], low[4];
  __device__ void add(uint4 weights_high, uint4 weights_low, Word word) {
    multiply_add(high, weights_high, word.x, word.y);
    multiply_add(low, weights_low, word.x, word.y);
  }
  __device__ float total(int c) const { return high[2 * c] + (high[2 * c + 1] + low[2 * c]); }
};

// A warp's weight fragments: parts of at most `Most` k-steps, which are summed apart. The first
// `Resident` steps of each part are in registers, the rest in shared memory.
template <int Parts, int Tiles, int Resident, int Most>
class Fragments {
 public:
  template <class A>
  using Sums = float[Parts][Tiles][A::kValues];

  __host__ __device__ static std::size_t shared_bytes(int steps, int warps) {
    return steps <= Resident ? 0
                             : static_cast<std::size_t>(steps - Resident) * Parts * Tiles * 64 *
                                   sizeof(uint4) * warps;
  }

  // from: [high, low][lane] for every step; parts and tiles are `part_stride` and `tile_stride`
  // steps apart.
  __device__ Fragments(const uint4* from, int steps, int part_stride, int tile_stride,
                       uint4* shared, int warp, int lane)
      : steps_(steps), rest_(shared) {
    const auto at = [&](int part, int tile, int step) {
      return from + static_cast<std::size_t>(part * part_stride + tile * tile_stride + step) * 64 +
             lane;
    };
#pragma unroll
    for (int part = 0; part < Parts; ++part) {
#pragma unroll
      for (int tile = 0; tile < Tiles; ++tile) {
#pragma unroll
        for (int step = 0; step < Resident; ++step) {
          const bool there = step < steps;
          high_[part][tile][step] = there ? at(part, tile, step)[0] : uint4{};
          low_[part][tile][step] = there ? at(part, tile, step)[32] : uint4{};
        }
      }
    }
    if (steps <= Resident) return;
    rest_ += static_cast<std::size_t>(warp) * (steps - Resident) * Parts * Tiles * 64 + lane;
    for (int step = Resident; step < steps; ++step) {
      for (int part = 0; part < Parts; ++part) {
        for (int tile = 0; tile < Tiles; ++tile) {
          uint4* to = rest_ + rest_place(step, part, tile);
          to[0] = at(part, tile, step)[0];
          to[32] = at(part, tile, step)[32];
        }
      }
    }
  }

  // Multiplies by `words`, which points at this lane's word of step 0 of part 0.
  template <class A>
  __device__ void multiply(const typename A::Word* words, int part_stride, int step_stride,
                           Sums<A>& sums) const {
    A all[Parts][Tiles] = {};
    const auto add = [&](int step) {
#pragma unroll
      for (int part = 0; part < Parts; ++part) {
        const auto word = words[part * part_stride + step * step_stride];
#pragma unroll
        for (int tile = 0; tile < Tiles; ++tile) {
          all[part][tile].add(high_[part][tile][step], low_[part][tile][step], word);
        }
      }
    };
    if (steps_ >= Resident) {
      // No branches, so that loads overlap with mma.
#pragma unroll
      for (int step = 0; step < Resident; ++step) add(step);
    } else {
#pragma unroll
      for (int step = 0; step < Resident; ++step) {
        if (step < steps_) add(step);
      }
    }
#pragma unroll 1
    for (int step = Resident; Most > Resident && step < steps_; ++step) {
#pragma unroll
      for (int part = 0; part < Parts; ++part) {
        const auto word = words[part * part_stride + step * step_stride];
#pragma unroll
        for (int tile = 0; tile < Tiles; ++tile) {
          const uint4* at = rest_ + rest_place(step, part, tile);
          all[part][tile].add(at[0], at[32], word);
        }
      }
    }
#pragma unroll
    for (int part = 0; part < Parts; ++part) {
#pragma unroll
      for (int tile = 0; tile < Tiles; ++tile) {
#pragma unroll
        for (int c = 0; c < A::kValues; ++c) sums[part][tile][c] = all[part][tile].total(c);
      }
    }
  }

 private:
  __device__ static int rest_place(int step, int part, int tile) {
    return (((step - Resident) * Parts + part) * Tiles + tile) * 64;
  }

  int steps_;
  uint4* rest_;
  uint4 high_[Parts][Tiles][Resident];
  uint4 low_[Parts][Tiles][Resident];
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
        chunk_(pinned(in.chunk)),
        left_(chunk_),
        size_(pinned(kTapeRows + rows * in.features.width)),
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
    left_ = chunk_;
    if (count / chunk_ % 2 == 0) now_ = memory_;
    turn(count);
  }
  // The first tape rows of steps t, t + 1 and, forward, t + 2 or, backward, t - 3 and t - 2.
  __device__ int4 tape_rows() const { return *reinterpret_cast<const int4*>(now_); }
  // The features or symbol of row r of the slice: at(r * width).
  __device__ const float* at(int offset) const { return now_ + kTapeRows + offset; }

 private:
  static constexpr int kTapeRows = 4;

  __device__ void turn(int count) {
    wait_for_copies();
    __syncthreads();
    fetch(count + chunk_);
  }
  // Starts copying the chunk that begins with step `count`.
  __device__ void fetch(int count) const {
    const std::uint32_t to =
        shared_address(memory_ + (count / chunk_ % 2 == 0 ? 0 : chunk_ * size_));
    for (int i = static_cast<int>(threadIdx.x); i < chunk_ * size_;
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
      const int step = t + (number < 2 || direction_ > 0 ? number : number - 5);
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
  int chunk_;   // steps per chunk
  int left_;    // steps left in this chunk, including the current one
  int size_;    // floats per step
  float* now_;  // the current step
};

// Computes b + W x for `Count` pre-activations of one unit. The weights of feature 0, often the
// only one, are in registers (`first`); the others are in shared memory, [Count][D][Units].
template <int Count, int Units>
__device__ __forceinline__ void add_inputs(const float* x, const float* first, const float* weights,
                                           const float* bias, int inputs, float* sums) {
#pragma unroll
  for (int i = 0; i < Count; ++i) sums[i] = fmaf(x[0], first[i], bias[i]);
#pragma unroll 2
  for (int d = 1; d < inputs; ++d) {
    const float feature = x[d];
#pragma unroll
    for (int i = 0; i < Count; ++i) {
      sums[i] = fmaf(feature, weights[(i * inputs + d) * Units], sums[i]);
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

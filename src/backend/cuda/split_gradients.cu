// src/backend/cuda/split_gradients.cu: the sum over rows of delta times h, both split into halves.
//
// A block of 8 warps sums a tile of 256 (unit, gate) pairs by 128 columns of h over its share of
// the rows. A warp owns 32 pairs and all columns, so that each delta is loaded and split by a
// single thread, the one that needs it as an mma fragment. A second kernel adds up the shares.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "backend/cuda/cluster.cuh"
#include "backend/cuda/gates.h"
#include "backend/cuda/split_gradients.h"
#include "rwa/errors.h"

namespace rwa::cuda {
namespace {

constexpr int kWarps = 8;
constexpr int kThreads = 32 * kWarps;
constexpr int kWarpPairs = 32;
constexpr int kTilePairs = kWarps * kWarpPairs;
constexpr int kTileColumns = 128;
constexpr int kUnitBlock = 32;  // units per entry of delta_max
// Target grid size: one block per multiprocessor of an H200. A constant, so that the order of the
// sums does not depend on the GPU.
constexpr int kBlocks = 132;

// A step multiplies 16 rows with m16n8k16: 16 pairs by 8 columns. A thread holds 4 values of each
// product: 2 of its pairs by 2 columns.
constexpr int kStepRows = 16;
constexpr int kPairGroups = kWarpPairs / 16;
constexpr int kColumnGroups = kTileColumns / 8;
constexpr int kFragments = kPairGroups * kColumnGroups;
using Sums = float4[kPairGroups][kColumnGroups];

// Shared memory. h has room for 6 steps, each two planes (high, low) of [row][column]: one is being
// multiplied, one may still be read by warps that lag behind, and four are being copied. Deltas
// move to registers when their step begins, so 3 steps suffice: [4 per step][thread] of 16 bytes.
constexpr int kRowBytes = kTileColumns * static_cast<int>(sizeof(__half));
constexpr int kPlaneBytes = kStepRows * kRowBytes;
constexpr int kHBytes = 2 * kPlaneBytes;
constexpr int kHSteps = 6;
constexpr int kSlotBytes = kThreads * 16;
constexpr int kDeltaBytes = 4 * kSlotBytes;
constexpr int kDeltaSteps = 3;
// A step starts copying the deltas of 3 steps later and h of 4 steps later. h must arrive one step
// early, so that the barrier can tell the other warps. So the copies of 2 steps may be pending.
constexpr int kCopiesPending = kDeltaSteps - 1;
static_assert(kHSteps - 2 == kDeltaSteps + 1);
// The tensor cores truncate sums instead of rounding them, which biases long sums towards zero.
// After this many steps a warp adds its accumulators to its settled sums in shared memory.
constexpr int kSettleSteps = 16;
constexpr int kSettledBytes = kFragments * kSlotBytes;
constexpr int kSharedBytes = kHSteps * kHBytes + kDeltaSteps * kDeltaBytes + kSettledBytes;

struct Work {
  SplitOperands operands;
  const RowsHeader* header;
  int pair_tiles = 0;
  int column_tiles = 0;
  int splits = 0;
  float4* partial = nullptr;  // [splits][column tiles][pair tiles][kFragments][kThreads]

  __host__ __device__ int pairs() const { return operands.padded_units * operands.gates; }
  __host__ __device__ int tiles() const { return pair_tiles * column_tiles; }
  // Rows per split; the last splits may have fewer or none.
  __device__ int share() const {
    const int steps = (header->rows + kStepRows - 1) / kStepRows;
    return (steps + splits - 1) / splits * kStepRows;
  }
};

// Copies 16 bytes to shared memory asynchronously; writes zeros if `there` is false.
__device__ void copy_async(std::uint32_t to, const void* from, bool there) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
               :
               : "r"(to), "l"(from), "r"(there ? 16 : 0)
               : "memory");
}

// An mbarrier on which warps arrive, and wait for the others later.
__device__ void make_barrier(std::uint64_t* barrier) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;"
               :
               : "r"(shared_address(barrier)), "r"(kWarps)
               : "memory");
}

__device__ void arrive(std::uint64_t* barrier) {
  __syncwarp();
  if (threadIdx.x % 32 != 0) return;
  asm volatile("{ .reg .b64 state; mbarrier.arrive.shared.b64 state, [%0]; }"
               :
               : "r"(shared_address(barrier))
               : "memory");
}

// Waits until all warps have arrived for phase `time`, counted from 0. Call it before arriving for
// the next phase: the barrier knows only the parity.
__device__ void wait(std::uint64_t* barrier, int time) {
  wait_barrier(shared_address(barrier), static_cast<unsigned>(time % 2));
}

__device__ void read_deltas(float (&to)[4], std::uint32_t from) {
  asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(to[0]), "=f"(to[1]), "=f"(to[2]), "=f"(to[3])
               : "r"(from)
               : "memory");
}

// Loads 16 rows by 16 columns of h as two B fragments.
__device__ void read_columns(std::uint32_t (&first)[2], std::uint32_t (&second)[2],
                             std::uint32_t from) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(first[0]), "=r"(first[1]), "=r"(second[0]), "=r"(second[1])
               : "r"(from)
               : "memory");
}

__device__ void multiply_add(float4& sum, const std::uint32_t (&a)[4],
                             const std::uint32_t (&b)[2]) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+f"(sum.x), "+f"(sum.y), "+f"(sum.z), "+f"(sum.w)
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

__device__ float4 add(float4 a, float4 b) { return {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w}; }

// A thread's position in the tile and in shared memory.
struct Place {
  int thread = static_cast<int>(threadIdx.x);
  int lane = thread % 32;
  int warp = thread / 32;
  int first_pair = static_cast<int>(blockIdx.x) * kTilePairs + warp * kWarpPairs;
  bool active;  // whether the warp has pairs
  std::uint32_t h, deltas;
  float4* settled;  // this thread's sums, kThreads apart

  __device__ Place(const Work& work, unsigned char* shared)
      : active(first_pair < work.pairs()),
        h(shared_address(shared)),
        deltas(h + kHSteps * kHBytes),
        settled(reinterpret_cast<float4*>(shared + kSharedBytes - kSettledBytes) + thread) {}
  __device__ std::uint32_t h_at(int step) const {
    return h + static_cast<std::uint32_t>(step % kHSteps * kHBytes);
  }
  __device__ std::uint32_t deltas_at(int step) const {
    return deltas + static_cast<std::uint32_t>(step % kDeltaSteps * kDeltaBytes + thread * 16);
  }
};

// Copies steps into shared memory. The 16-byte pieces of a row of h are XOR-swizzled by the row, so
// that any 8 rows of a column lie in different banks. Each thread copies the deltas that it needs
// itself: rows 2 * (lane % 4) + {0, 1, 8, 9}, and the 4 pairs of the warp from 4 * (lane / 4) on.
class Loader {
 public:
  // Loads `rows` rows from `begin` on.
  __device__ Loader(const Work& work, const Place& place, int begin, int rows)
      : place_(place), units_(work.operands.padded_units), pairs_(work.pairs()), rows_(rows) {
    const int row = place.thread / kPieces;
    const int piece = place.thread % kPieces;
    const int column = static_cast<int>(blockIdx.y) * kTileColumns + piece * 8;
    const std::size_t h_begin = static_cast<std::size_t>(begin) * units_;
    h_high_ = work.operands.h_high + h_begin;
    h_low_ = work.operands.h_low + h_begin;
    h_row_ = column < units_ ? row : kNever;
    h_offset_ = row * units_ + column;
    h_to_ = static_cast<std::uint32_t>(row * kRowBytes + (piece ^ row % 8) * 16);
    delta_ = work.operands.delta + static_cast<std::size_t>(begin) * pairs_;
    delta_offset_ = place.lane % 4 * 2 * pairs_ + place.first_pair + place.lane / 4 * 4;
  }

  // Starts the copies that belong to `step`, as one group. Negative steps fill the pipeline.
  __device__ void load_ahead(int step) const {
    load_deltas(step + kDeltaSteps);
    load_h(step + kHSteps - 2);
    end_group();
  }

  __device__ void load_h(int step) const {
    const int first = step * kStepRows;
    if (first >= rows_) return;
    const bool there = h_row_ < rows_ - first;
    const std::ptrdiff_t offset = h_offset_ + static_cast<std::ptrdiff_t>(first) * units_;
    const std::uint32_t to = place_.h_at(step) + h_to_;
    copy_async(to, h_high_ + offset, there);
    copy_async(to + kPlaneBytes, h_low_ + offset, there);
  }

 private:
  __device__ void load_deltas(int step) const {
    const int first = step * kStepRows;
    if (first >= rows_ || !place_.active) return;
    const std::uint32_t to = place_.deltas_at(step);
#pragma unroll
    for (int octet = 0; octet < 2; ++octet) {
      const int row = first + octet * kOctet;
      const float* from = delta_ + delta_offset_ + static_cast<std::ptrdiff_t>(row) * pairs_;
      copy_async(to + octet * 2 * kSlotBytes, from, row < rows_);
      copy_async(to + (octet * 2 + 1) * kSlotBytes, from + pairs_, row < rows_);
    }
  }

  static constexpr int kPieces = kRowBytes / 16;
  static constexpr int kNever = 1 << 30;
  static_assert(kStepRows * kPieces == kThreads, "a piece of each plane for each thread");

  const Place& place_;
  int units_, pairs_, rows_;
  // The block's first rows, and this thread's offsets from there.
  const __half* h_high_;
  const __half* h_low_;
  const float* delta_;
  int h_row_, h_offset_, delta_offset_;
  std::uint32_t h_to_;
};

// A thread's split deltas as A fragments for 2 groups of pairs. Its pairs 0 and 1 are rows lane / 4
// and lane / 4 + 8 of the first group, pairs 2 and 3 those of the second.
struct Deltas {
  std::uint32_t high[kPairGroups][4];
  std::uint32_t low[kPairGroups][4];
};

__device__ std::uint32_t bits(__half2 halves) {
  return *reinterpret_cast<const std::uint32_t*>(&halves);
}

__device__ void split(float first, float second, std::uint32_t& high, std::uint32_t& low) {
  const __half2 rounded = __floats2half2_rn(first, second);
  const float2 back = __half22float2(rounded);
  high = bits(rounded);
  low = bits(__floats2half2_rn(first - back.x, second - back.y));
}

// Splits this thread's deltas of a step, read from shared memory at `from`.
__device__ void split(Deltas& to, std::uint32_t from, float scale) {
#pragma unroll
  for (int octet = 0; octet < 2; ++octet) {
    float first[4], second[4];
    read_deltas(first, from + octet * 2 * kSlotBytes);
    read_deltas(second, from + (octet * 2 + 1) * kSlotBytes);
#pragma unroll
    for (int pair = 0; pair < 4; ++pair) {
      const int at = octet * 2 + pair % 2;
      split(first[pair] * scale, second[pair] * scale, to.high[pair / 2][at], to.low[pair / 2][at]);
    }
  }
}

// Adds a step's products with 32 columns: enough independent accumulators to hide the latency of
// mma. rows: the address of this lane's row of h. swap: its swizzle, in bytes.
__device__ void add_products(Sums& sums, const Deltas& deltas, int quarter, std::uint32_t rows,
                             std::uint32_t swap) {
  std::uint32_t high[4][2], low[4][2];
#pragma unroll
  for (int column = 0; column < 4; column += 2) {
    const std::uint32_t piece = 4 * quarter + column;
    const std::uint32_t from = rows + (piece % 8 * 16 ^ swap) + piece / 8 * 128;
    read_columns(high[column], high[column + 1], from);
    read_columns(low[column], low[column + 1], from + kPlaneBytes);
  }
  const auto multiply = [&](const std::uint32_t(&a)[kPairGroups][4],
                            const std::uint32_t(&b)[4][2]) {
#pragma unroll
    for (int column = 0; column < 4; ++column) {
#pragma unroll
      for (int pair = 0; pair < kPairGroups; ++pair) {
        multiply_add(sums[pair][4 * quarter + column], a[pair], b[column]);
      }
    }
  };
  multiply(deltas.low, high);
  multiply(deltas.high, low);
  multiply(deltas.high, high);
}

__device__ void settle(Sums& sums, float4* settled) {
#pragma unroll
  for (int fragment = 0; fragment < kFragments; ++fragment) {
    float4& sum = sums[fragment / kColumnGroups][fragment % kColumnGroups];
    settled[fragment * kThreads] = add(settled[fragment * kThreads], sum);
    sum = {};
  }
}

// Finds the largest |delta| of each 32 units in the tile, as bits; NaN compares as the largest.
// `largest` starts at 0.
__device__ void find_largest(const SplitOperands& from, int begin, int rows, unsigned* largest) {
  constexpr int kAtOnce = 16;
  const int blocks = kWarps / from.gates;
  const int all_blocks = from.padded_units / kUnitBlock;
  const int block = static_cast<int>(threadIdx.x) % blocks;
  const int column = static_cast<int>(blockIdx.x) * blocks + block;
  if (column >= all_blocks) return;
  const int apart = kThreads / blocks;
  const float* delta_max = from.delta_max + static_cast<std::size_t>(begin) * all_blocks + column;
  unsigned found = 0;
  for (int row = static_cast<int>(threadIdx.x) / blocks; row < rows; row += kAtOnce * apart) {
#pragma unroll
    for (int i = 0; i < kAtOnce; ++i) {
      const int at = row + i * apart;
      if (at >= rows) continue;
      const float delta = delta_max[static_cast<std::size_t>(at) * all_blocks];
      found = max(found, __float_as_uint(delta) & 0x7fffffffu);
    }
  }
  atomicMax(&largest[block], found);
}

// Returns the power of two that takes `largest` to [2^13, 2^14), as far as floats reach; NaN if it
// is not finite, which makes all sums NaN.
__device__ float scale_for(unsigned largest_bits) {
  const int exponent = static_cast<int>(largest_bits >> 23);
  if (exponent == 255) return __uint_as_float(0x7fffffffu);
  return __uint_as_float(static_cast<unsigned>(min(267 - exponent, 254)) << 23);
}

// Each warp scheduler has two warps. They start half a step apart, so that one splits deltas while
// the other multiplies.
__device__ void start_late() {
  constexpr int kCycles = 640;
  const long long then = clock64() + kCycles;
  while (clock64() < then) continue;
}

__device__ void store_partial(const Work& work, const float4* settled, float unscale) {
  const std::size_t tile =
      (static_cast<std::size_t>(blockIdx.z) * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  float4* to = work.partial + tile * (kFragments * kThreads) + threadIdx.x;
#pragma unroll 8
  for (int fragment = 0; fragment < kFragments; ++fragment) {
    const float4 sum = settled[fragment * kThreads];
    to[fragment * kThreads] = {sum.x * unscale, sum.y * unscale, sum.z * unscale, sum.w * unscale};
  }
}

__device__ void sum_steps(const Place& place, const Loader& loader, int rows, float scale,
                          std::uint64_t* ready) {
  const std::uint32_t my_row = place.lane % 16 * kRowBytes;
  const std::uint32_t swap = (place.lane / 16 ^ place.lane % 8) * 16;
  Sums sums = {};
  for (int step = 0; step * kStepRows < rows; ++step) {
    wait_for_groups<kCopiesPending>();
    wait(ready, step);
    arrive(ready);
    Deltas deltas;
    if (place.active) split(deltas, place.deltas_at(step), scale);
    loader.load_ahead(step);
    if (!place.active) continue;
#pragma unroll
    for (int quarter = 0; quarter < 4; ++quarter) {
      add_products(sums, deltas, quarter, place.h_at(step) + my_row, swap);
    }
    // Staggered over the warps.
    if (step % kSettleSteps == place.warp % 4 * (kSettleSteps / 4)) settle(sums, place.settled);
  }
  settle(sums, place.settled);
}

__global__ void __launch_bounds__(kThreads, 1) multiply_split(const Work work) {
  extern __shared__ __align__(128) unsigned char shared[];
  __shared__ std::uint64_t ready;  // phase n: all warps have copied their part of step n's h
  __shared__ unsigned largest[kWarps];
  const int begin = static_cast<int>(blockIdx.z) * work.share();
  const int rows = min(work.share(), work.header->rows - begin);
  if (rows <= 0) return;

  const Place place(work, shared);
  const Loader loader(work, place, begin, rows);
  loader.load_h(0);
  for (int step = -kDeltaSteps; step < 0; ++step) loader.load_ahead(step);
  if (place.thread == 0) make_barrier(&ready);
  if (place.thread < kWarps) largest[place.thread] = 0;
  for (int i = 0; i < kFragments; ++i) place.settled[i * kThreads] = {};
  __syncthreads();
  find_largest(work.operands, begin, rows, largest);
  wait_for_groups<kCopiesPending>();
  arrive(&ready);
  wait(&ready, 0);
  const float scale = scale_for(largest[place.warp / work.operands.gates]);

  if (place.warp >= kWarps / 2) start_late();
  sum_steps(place, loader, rows, scale, &ready);
  // A power of two, exact even if denormal.
  if (place.active) store_partial(work, place.settled, 1.0f / scale / kSplitScale);
}

// Adds up the splits, first to last. A thread has two pairs (gates of one unit) by two columns.
__global__ void add_partial(const Work work, TermBits sees_h, int units, float* weight_h) {
  const int index = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int thread = index % kThreads;
  const int fragment = index / kThreads % kFragments;
  const int tile = index / (kThreads * kFragments);
  const int pair = tile % work.pair_tiles * kTilePairs + thread / 32 * kWarpPairs +
                   thread % 32 / 4 * 4 + fragment / kColumnGroups * 2;
  const int column =
      tile / work.pair_tiles * kTileColumns + fragment % kColumnGroups * 8 + thread % 4 * 2;
  const int unit = pair / work.operands.gates;
  const int rows = work.header->rows;
  if (tile >= work.tiles() || unit >= units || column >= units || rows == 0) return;

  const int share = work.share();
  const int found = (rows + share - 1) / share;
  const std::size_t apart = static_cast<std::size_t>(work.tiles()) * kThreads * kFragments;
  float4 sum = work.partial[index];
#pragma unroll 8
  for (int split = 1; split < found; ++split) {
    sum = add(sum, work.partial[split * apart + index]);
  }
  const int first = pair % work.operands.gates;
  const float sums[2][2] = {{sum.x, sum.y}, {sum.z, sum.w}};
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    if (!sees_h.has(first + i)) continue;
    const auto block = static_cast<std::size_t>(sees_h.block(first + i));
    float* to = weight_h + (block * units + unit) * units + column;
    to[0] += sums[i][0];
    if (column + 1 < units) to[1] += sums[i][1];
  }
}

int ceil_div(long a, int b) { return static_cast<int>((a + b - 1) / b); }

}  // namespace

void add_split_gradients(const Context& context, const RecurrentSpec& spec, const PlacedRows& rows,
                         const SplitOperands& operands, DeviceMemory& scratch, float* parameters) {
  if (operands.gates != 2 && operands.gates != 4) {
    throw ConfigError("split weight gradients need 2 or 4 gates, found " +
                      std::to_string(operands.gates));
  }
  Work work{.operands = operands, .header = rows.header};
  work.pair_tiles = ceil_div(work.pairs(), kTilePairs);
  work.column_tiles = ceil_div(operands.padded_units, kTileColumns);
  // No more splits than steps.
  work.splits = std::clamp(ceil_div(rows.tape_rows(), kStepRows), 1, kBlocks / work.tiles());
  const int numbers = work.tiles() * kFragments * kThreads;
  scratch.reserve(sizeof(float4) * static_cast<std::size_t>(numbers) *
                  static_cast<std::size_t>(work.splits));
  work.partial = scratch.as<float4>();

  check(cudaFuncSetAttribute(multiply_split, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             kSharedBytes),
        "shared memory of multiply_split");
  const dim3 grid(work.pair_tiles, work.column_tiles, work.splits);
  multiply_split<<<grid, kThreads, kSharedBytes, context.stream>>>(work);
  check_launch("multiply_split");
  constexpr int kAddThreads = 128;
  add_partial<<<ceil_div(numbers, kAddThreads), kAddThreads, 0, context.stream>>>(
      work, CellTerms(spec).h, spec.units, parameters + spec.weight_h());
  check_launch("add_partial");
}

}  // namespace rwa::cuda

// src/backend/cuda/pack.h: a layer's weights in the order in which the threads of the persistent
// kernels hold them.
//
// Split products. Weights are scaled by a power of two so that the largest lies just below 2^14,
// and split into two fp16 halves; h is scaled by 2^14. Forward has one scale per gate, backward one
// for all. A warp holds a stack of 16 x 16 fragments (cluster.cuh), high and low halves in turn.
//   Forward, a block's 32 units form four groups of 8. A tile of 16 rows is two gates of a group:
//   rows 0–7 one gate, rows 8–15 the other. Columns are units of h, see forward_unit().
//   Backward, rows are the 32 units of one block of the cluster, in two tiles, see backward_unit();
//   columns are the gates of this block's units, see backward_gate().
// Exact products. Forward [block][unit of h][gate][32 units],
// backward [block][32 units x gates][unit of h].
#pragma once

#include <cuda_runtime.h>

#include "backend/spec.h"

namespace rwa::cuda {

inline constexpr int kBlockUnits = 32;
inline constexpr int kMostBlocks = 16;  // per cluster
inline constexpr int kGroups = 4;       // of 8 units, per block
inline constexpr int kWarpSteps = 8;    // most k-steps (16 columns) of a warp, forward

enum class Product { kSplit, kExact };

// Few features are staged in shared memory together with weight_x. Otherwise W x + b is a row of a
// table in global memory: one per symbol or, for many features, per row of x (input_products.cu).
inline constexpr int kMostFeaturesOnChip = 16;
inline bool has_input_table(const RecurrentSpec& spec) {
  return spec.symbols || spec.inputs > kMostFeaturesOnChip;
}

// The unit of h at column `column` (of 16) of k-step `step`. A lane holds four neighbouring units.
__host__ __device__ constexpr int forward_unit(int step, int column) {
  return 16 * step + 4 * (column % 8 / 2) + column % 2 + 2 * (column / 8);
}
// The unit (of a block's 32) at row `row` of tile `tile`. A lane holds four neighbouring units.
__host__ __device__ constexpr int backward_unit(int tile, int row) {
  return 4 * (row % 8) + 2 * tile + row / 8;
}
// The gate at column `column` of k-step `step`, as unit * gates + gate.
__host__ __device__ constexpr int backward_gate(int step, int column) {
  return forward_unit(step, column);
}

// Sizes of the packed parts.
struct PackedSizes {
  PackedSizes(const RecurrentSpec& spec, Product product);

  int blocks, splits, gates, preactivations, inputs;
  bool symbols, has_table;  // see has_input_table()
  int tiles;                // forward: two gates each
  int forward_steps;        // k-steps (16 columns) per split
  int backward_steps;
  Product product;
  [[nodiscard]] __host__ __device__ int padded_units() const { return blocks * kBlockUnits; }
  // In units of 16 bytes.
  [[nodiscard]] std::size_t forward_size() const;
  [[nodiscard]] std::size_t backward_size() const;
  [[nodiscard]] std::size_t bytes() const;
};

// Pointers to the packed parts, in device memory.
struct Packed {
  Packed() = default;
  Packed(const PackedSizes& sizes, void* memory);

  // [block][warp][tile][step of the warp][high, low][lane]; exact products: see above
  uint4* forward = nullptr;
  // [block][warp = receiving block][tile][step][high, low][lane]; exact products: see above
  uint4* backward = nullptr;
  // [block][preactivation][D][32]. With a table [D][preactivation][Hp]; for symbols this is the
  // table itself, bias included.
  float* weight_x = nullptr;
  float* bias = nullptr;        // [block][preactivation][32]
  float* start = nullptr;       // [Hp]: s_0; h_0 is its activation
  float* scale = nullptr;       // [gates + 1]: factors that undo the scaling; the last: backward
  unsigned* largest = nullptr;  // [gates]: largest |weight|, as bits
};

// Packs a layer's parameters. All pointers are to device memory.
void pack(const RecurrentSpec& spec, Product product, const float* parameters, void* packed,
          cudaStream_t stream);

}  // namespace rwa::cuda

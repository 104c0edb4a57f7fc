// src/backend/cuda/pack.h: a layer's weights in the order in which the threads of the persistent
// kernels hold them. It does not depend on how many units a block of the cluster has.
//
// Split products. Weights are scaled by a power of two so that the largest lies just below 2^14,
// and split into two fp16 halves; h is scaled by 2^14. Forward has one scale per gate, backward one
// for all. A warp holds a stack of 16 x 16 fragments (cluster.cuh), high and low halves in turn.
//   Forward, the 16 rows of a fragment are all gates of 16 / gates units, gate by gate. Columns are
//   units of h, see forward_unit().
//   Backward, rows are 32 units in two tiles, see backward_unit(); columns are the gates of units,
//   see backward_gate().
// Exact products, for blocks of 32 units. Forward [block][unit of h][gate][32 units], backward
// [block][32 units x gates][unit of h].
#pragma once

#include <cuda_runtime.h>

#include "backend/spec.h"

namespace rwa::cuda {

inline constexpr int kUnitGroup = 32;  // units that share a scale of gradients; one per lane
inline constexpr int kMostUnits = 512;
inline constexpr int kFewUnits = 256;  // up to which a block has 8 warps; above, 16

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
// The unit (of a group's 32) at row `row` of tile `tile`. A lane holds four neighbouring units.
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

  int padded_units;  // Hp
  int gates, preactivations, inputs;
  bool symbols, has_table;  // see has_input_table()
  Product product;
  // Columns of h and of gate gradients in k-steps of 16.
  [[nodiscard]] __host__ __device__ int forward_steps() const { return padded_units / 16; }
  [[nodiscard]] __host__ __device__ int backward_steps() const { return padded_units * gates / 16; }
  // Of the weights for one direction, in units of 16 bytes.
  [[nodiscard]] std::size_t matrix_size() const;
  [[nodiscard]] std::size_t bytes() const;
};

// Pointers to the packed parts, in device memory.
struct Packed {
  Packed() = default;
  Packed(const PackedSizes& sizes, void* memory);

  // [tile of 16 / gates units][step][high, low][lane]; exact products: see above
  uint4* forward = nullptr;
  // [receiving 32 units][tile][step][high, low][lane]; exact products: see above
  uint4* backward = nullptr;
  // [preactivation][D][Hp]. With a table [D][preactivation][Hp]; for symbols this is the table
  // itself, bias included.
  float* weight_x = nullptr;
  float* bias = nullptr;        // [preactivation][Hp]
  float* start = nullptr;       // [Hp]: s_0; h_0 is its activation
  float* scale = nullptr;       // [gates + 1]: factors that undo the scaling; the last: backward
  unsigned* largest = nullptr;  // [gates]: largest |weight|, as bits
};

// Packs a layer's parameters. All pointers are to device memory.
void pack(const RecurrentSpec& spec, Product product, const float* parameters, void* packed,
          cudaStream_t stream);

}  // namespace rwa::cuda

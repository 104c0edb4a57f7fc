// src/backend/cuda/pack.h: a layer's weights in the order in which the persistent kernels' threads
// keep them.
//
// Split products. Weights are scaled by a power of two, forward one per gate and backward one for
// all, such that the largest lies just below 2^14, and split into two halves; h is scaled by 2^14.
// A warp's share is a stack of fragments of 16 x 16 (cluster.cuh), high and low halves in turn.
//   Forward, a block's 32 units are four groups of 8. A tile of 16 rows is two gates of a group:
//   rows 0-7 of one, 8-15 of the other. Columns are units of h, see forward_unit().
//   Backward, rows are the 32 units of one block of the cluster, in two tiles, see backward_unit();
//   columns are the gates of this block's units, see backward_gate().
// Exact products. Forward [block][unit of h][gate][32 units], backward [block][32 units x gates]
// [unit of h].
#pragma once

#include <cuda_runtime.h>

#include "backend/spec.h"

namespace rwa::cuda {

inline constexpr int kBlockUnits = 32;
inline constexpr int kMostBlocks = 16;  // of a cluster
inline constexpr int kGroups = 4;       // of 8 units in a block
inline constexpr int kWarpSteps = 8;    // of 16 columns that a warp takes at most, forward

enum class Product { kSplit, kExact };

// Few features pass through shared memory, where weight_x lies too. Else what x adds to the
// pre-activations, with the bias, is a row of a table in global memory: each symbol has one, or, of
// many features, each row of x (cuda/input_products.h).
inline constexpr int kMostFeaturesOnChip = 16;
inline bool has_input_table(const RecurrentSpec& spec) {
  return spec.symbols || spec.inputs > kMostFeaturesOnChip;
}

// Which unit of h is column `column` of the 16 of step `step`: four neighbours belong to one lane.
__host__ __device__ constexpr int forward_unit(int step, int column) {
  return 16 * step + 4 * (column % 8 / 2) + column % 2 + 2 * (column / 8);
}
// Which of the 32 units of a block is row `row` of tile `tile`: a lane has four neighbours.
__host__ __device__ constexpr int backward_unit(int tile, int row) {
  return 4 * (row % 8) + 2 * tile + row / 8;
}
// Which gate of the block's units is column `column` of step `step`: unit * gates + gate.
__host__ __device__ constexpr int backward_gate(int step, int column) {
  return forward_unit(step, column);
}

// Where the parts lie.
struct PackedSizes {
  PackedSizes(const RecurrentSpec& spec, Product product);

  int blocks, splits, gates, preactivations, inputs;
  bool symbols, has_table;  // see has_input_table()
  int tiles;                // of two gates, forward
  int forward_steps;        // of 16 columns that each split takes
  int backward_steps;
  Product product;
  [[nodiscard]] __host__ __device__ int padded_units() const { return blocks * kBlockUnits; }
  // In units of 16 bytes.
  [[nodiscard]] std::size_t forward_size() const;
  [[nodiscard]] std::size_t backward_size() const;
  [[nodiscard]] std::size_t bytes() const;
};

// On the device.
struct Packed {
  Packed() = default;
  Packed(const PackedSizes& sizes, void* memory);

  // [block][warp][tile][step of the warp][high, low][lane] or as exact products have it
  uint4* forward = nullptr;
  // [block][warp = block it is for][tile][step][high, low][lane]
  uint4* backward = nullptr;
  // [block][preactivation][D][32]; where there is a table [D][preactivation][Hp], and where x is a
  // symbol this is the table: the bias is in it
  float* weight_x = nullptr;
  float* bias = nullptr;        // [block][preactivation][32]
  float* start = nullptr;       // [Hp]: h_0
  float* scale = nullptr;       // [gates + 1]: what a product is multiplied by; the last: backward
  unsigned* largest = nullptr;  // [gates]: of |weight|, as bits
};

// Reads the layer's parameters, which lie on the device.
void pack(const RecurrentSpec& spec, Product product, const float* parameters, void* packed,
          cudaStream_t stream);

}  // namespace rwa::cuda

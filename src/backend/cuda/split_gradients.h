// src/backend/cuda/split_gradients.h: the weight gradient of the recurrent products on the tensor
// cores, as accurate as fp32: each number is the sum of two halves, and three of the four products
// of halves are formed. Halves have little range, so that everything is scaled by powers of two
// such that the largest lies just below 2^14.
#pragma once

#include <cuda_fp16.h>

#include "backend/backend.h"
#include "backend/cuda/rows.h"
#include "backend/cuda/runtime.h"

namespace rwa::cuda {

// What is split is scaled such that it lies within ±2 to this power, where two halves have most
// bits.
inline constexpr int kSplitExponent = 14;
// h, which is in [-1, 1], times this is high + low.
inline constexpr float kSplitScale = 1 << kSplitExponent;

// All arrays begin at a multiple of 16 bytes, and h is finite in every row.
struct SplitOperands {
  int padded_units = 0;          // Hp, a multiple of 32
  int gates = 0;                 // G: 2 or 4, as kernels number them (cuda/gates.h)
  const float* delta = nullptr;  // [rows][Hp][G]
  // [rows][Hp / 32]: the largest |delta| of each 32 units' gates at a row.
  const float* delta_max = nullptr;
  const __half* h_high = nullptr;  // [rows][Hp], of the step before
  const __half* h_low = nullptr;
};

// Adds to weight_h of `parameters`, as RecurrentSpec lays them out. The order of the sums depends
// on the number of rows alone. `scratch` grows to what `rows` could ever need.
void add_split_gradients(const Context&, const RecurrentSpec&, const PlacedRows& rows,
                         const SplitOperands&, DeviceMemory& scratch, float* parameters);

}  // namespace rwa::cuda

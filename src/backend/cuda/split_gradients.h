// src/backend/cuda/split_gradients.h: the gradient of weight_h on the tensor cores, as accurate as
// fp32. Each factor is the sum of two fp16 halves, and three of the four products of halves are
// computed. fp16 has little range, so everything is scaled by a power of two that takes the largest
// to just below 2^14.
#pragma once

#include <cuda_fp16.h>

#include "backend/backend.h"
#include "backend/cuda/rows.h"
#include "backend/cuda/runtime.h"

namespace rwa::cuda {

// Values to split are scaled to within ±2^kSplitExponent, where two halves have the most bits.
inline constexpr int kSplitExponent = 14;
// high + low is h, which is in [-1, 1], times this.
inline constexpr float kSplitScale = 1 << kSplitExponent;

// All arrays are 16-byte aligned, and h is finite in every row.
struct SplitOperands {
  int padded_units = 0;          // Hp, a multiple of 32
  int gates = 0;                 // G: 2 or 4 (cuda/gates.h)
  const float* delta = nullptr;  // [rows][Hp][G]
  // [rows][Hp / 32]: the largest |delta| of the gates of 32 units.
  const float* delta_max = nullptr;
  const __half* h_high = nullptr;  // [rows][Hp]: h of the step before
  const __half* h_low = nullptr;
};

// Adds to weight_h of `parameters`, in RecurrentSpec's layout. The order of the sums depends only
// on the number of rows. `scratch` grows to what the capacity of `rows` needs.
void add_split_gradients(const Context&, const RecurrentSpec&, const PlacedRows& rows,
                         const SplitOperands&, DeviceMemory& scratch, float* parameters);

}  // namespace rwa::cuda

// src/backend/cuda/input_products.h: what many features add to the pre-activations, for all steps
// before the first.
#pragma once

#include "backend/backend.h"
#include "backend/cuda/pack.h"
#include "backend/cuda/runtime.h"

namespace rwa::cuda {

// Writes W x + b to x_part [T,B,preactivations,Hp], for the rows that count. Sums are in fp32, each
// in the order of the features. `weights` are of a layer that has a table (cuda/pack.h).
void multiply_inputs(const Context&, const PackedSizes&, const Packed& weights, const Rows&,
                     const float* x, float* x_part);

}  // namespace rwa::cuda

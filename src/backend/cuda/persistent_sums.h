// src/backend/cuda/persistent_sums.h: what the backward kernel leaves per slot, added up over the
// batch in a fixed order.
#pragma once

#include "backend/backend.h"
#include "backend/cuda/rows.h"
#include "backend/cuda/runtime.h"

namespace rwa::cuda {

// x_sums: [slots][1 + D][preactivations][Hp], the bias first, to weight_x and bias of `parameters`.
void add_x_sums(const Context&, const RecurrentSpec&, const PlacedRows& rows, const float* x_sums,
                int padded_units, float* parameters);

// earlier: [1 + carry][slots][Hp], to `initial` [B, 1 + carry, H].
void add_initial_gradients(const Context&, const RecurrentSpec&, const PlacedRows& rows,
                           const float* earlier, int padded_units, float* initial);

}  // namespace rwa::cuda

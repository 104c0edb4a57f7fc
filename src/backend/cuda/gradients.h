// src/backend/cuda/gradients.h: from the gradients of the pre-activations at every step to those of
// the weights and of x: sums over all rows of the tape, in fp32 and in an order that depends on
// nothing but the number of rows.
#pragma once

#include <cstdint>

#include "backend/backend.h"
#include "backend/cuda/rows.h"
#include "backend/cuda/runtime.h"

namespace rwa::cuda {

// The gradients of the pre-activations, by rows of the tape (cuda/rows.h). Those of a slot past its
// end, and of the units that are padding, are zero.
struct Deltas {
  int padded_units = 0;           // Hp: H rounded up to a multiple of 32
  const float* gates = nullptr;   // [rows][Hp][gates], as cuda/gates.h counts them
  const float* inputs = nullptr;  // [rows][Hp] of the pre-activation that sees x only, or null
};

// Each adds to `parameters`, as RecurrentSpec lays them out. `scratch` may grow to what `rows`
// could ever need; the contents do not matter. Where the layer reads from the last step to the
// first, step t of the tape is that of x, or of the symbols, which it saw.

// weight_x and bias.
void add_input_gradients(const Context&, const RecurrentSpec&, const PlacedRows& rows,
                         const float* x, const Deltas&, DeviceMemory& scratch, float* parameters);
// The same for a layer that sees symbols, [T,B].
void add_symbol_gradients(const Context&, const RecurrentSpec&, const PlacedRows& rows,
                          const std::int32_t* symbols, const Deltas&, DeviceMemory& scratch,
                          float* parameters);
// weight_h. h_before: [rows][Hp], what the step saw of the step before.
void add_recurrent_gradients(const Context&, const RecurrentSpec&, const PlacedRows& rows,
                             const float* h_before, const Deltas&, DeviceMemory& scratch,
                             float* parameters);
// dx [T,B,D], from the layer's parameters.
void add_x_gradients(const Context&, const RecurrentSpec&, const PlacedRows& rows, const Deltas&,
                     const float* parameters, float* dx);
// start: dh_0 [slots][Hp] is the gradient of h_0 of every slot; those left over are not read.
void add_start_gradients(const Context&, const RecurrentSpec&, const PlacedRows& rows,
                         const float* dh_0, int padded_units, const float* parameters,
                         float* gradient);

}  // namespace rwa::cuda

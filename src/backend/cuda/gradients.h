// src/backend/cuda/gradients.h: from the gradients of the pre-activations to those of the weights
// and of x: sums over all tape rows, in fp32, in an order that depends only on the number of rows.
#pragma once

#include <cstdint>

#include "backend/backend.h"
#include "backend/cuda/rows.h"
#include "backend/cuda/runtime.h"

namespace rwa::cuda {

// The gradients of the pre-activations by tape row (cuda/rows.h). Zero past a sequence's end and in
// padding units.
struct Deltas {
  int padded_units = 0;           // Hp: H rounded up to a multiple of 32
  const float* gates = nullptr;   // [rows][Hp][gates], gates as in cuda/gates.h
  const float* inputs = nullptr;  // [rows][Hp] of the pre-activation that sees only x, or null
};

// Each function adds to its last argument: dx, or the parameters' gradient in RecurrentSpec's
// layout. `scratch` grows to what the capacity of `rows` needs; its contents do not matter. In a
// reversed layer, step t of the tape pairs with the step of x, or of the symbols, that it read.

// weight_x and bias.
void add_input_gradients(const Context&, const RecurrentSpec&, const PlacedRows& rows,
                         const float* x, const Deltas&, DeviceMemory& scratch, float* parameters);
// The same for a layer that reads symbols, [T,B].
void add_symbol_gradients(const Context&, const RecurrentSpec&, const PlacedRows& rows,
                          const std::int32_t* symbols, const Deltas&, DeviceMemory& scratch,
                          float* parameters);
// weight_h. h_before: [rows][Hp], the h that each step read.
void add_recurrent_gradients(const Context&, const RecurrentSpec&, const PlacedRows& rows,
                             const float* h_before, const Deltas&, DeviceMemory& scratch,
                             float* parameters);
// dx [T,B,D]. parameters: the layer's own.
void add_x_gradients(const Context&, const RecurrentSpec&, const PlacedRows& rows, const Deltas&,
                     const float* parameters, float* dx);
// The learned start. dh_0 [slots][Hp]: the gradient of h_0 per slot; unused slots are not read.
void add_start_gradients(const Context&, const RecurrentSpec&, const PlacedRows& rows,
                         const float* dh_0, int padded_units, const float* parameters,
                         float* gradient);

}  // namespace rwa::cuda

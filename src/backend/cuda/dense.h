// src/backend/cuda/dense.h: the fully connected layer. All sums are in fp32 and in an order that
// depends on nothing but the layer's sizes and, over rows, their number.
#pragma once

#include "backend/backend.h"
#include "backend/cuda/runtime.h"

namespace rwa::cuda {

// As in Backend; `parameters` are as DenseSpec lays them out.
void dense_forward(const Context&, const DenseSpec&, const float* parameters, const Rows&,
                   const float* h, float* y);
// `scratch` grows to what this layer needs for any number of rows; its contents do not matter.
void dense_backward(const Context&, const DenseSpec&, const float* parameters, const Rows&,
                    const float* h, const float* dy, DeviceMemory& scratch, float* dparameters,
                    float* dh);

}  // namespace rwa::cuda

// src/backend/cuda/average.h: the average over the steps of each sequence, plain or by attention.
// As in Backend; `scratch` grows to what as many rows as there is room for could need.
#pragma once

#include "backend/backend.h"
#include "backend/cuda/runtime.h"

namespace rwa::cuda {

void average(const Context&, int width, const Rows&, const float* score, const float* h,
             float* share, float* out);
void average_backward(const Context&, int width, const Rows&, const float* score, const float* h,
                      const float* share, const float* dout, DeviceMemory& scratch, float* dscore,
                      float* dh);

}  // namespace rwa::cuda

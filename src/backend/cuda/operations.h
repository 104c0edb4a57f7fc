// src/backend/cuda/operations.h: Backend's operations other than recurrent layers, with the same
// arguments: the fully connected layer, embedding tables, averages over steps, a stem, and
// elementwise work. `scratch` grows to what the capacity of the rows needs; its contents do not matter.
#pragma once

#include <cstddef>
#include <cstdint>

#include "backend/backend.h"
#include "backend/cuda/runtime.h"

namespace rwa::cuda {

// The fully connected layer; `parameters` in DenseSpec's layout. All sums are fp32, in an order
// that depends only on the layer's sizes and the number of rows.
void dense_forward(const Context&, const DenseSpec&, const float* parameters, const Rows&,
                   const float* h, float* y);
void dense_backward(const Context&, const DenseSpec&, const float* parameters, const Rows&,
                    const float* h, const float* dy, DeviceMemory& scratch, float* dparameters,
                    float* dh);

// Lookup in a learned table, and its gradient.
void lookup(const Context&, const TableSpec&, const Rows&, const Symbols&, const float* table,
            const float* base, float* out);
void lookup_backward(const Context&, const TableSpec&, const Rows&, const Symbols&,
                     const float* dout, DeviceMemory& scratch, float* dtable, float* dbase);

// The average over the steps of each sequence, plain or weighted by attention.
void average(const Context&, int width, const Rows&, const float* score, const float* h,
             float* share, float* out);
void average_backward(const Context&, int width, const Rows&, const float* score, const float* h,
                      const float* share, const float* dout, DeviceMemory& scratch, float* dscore,
                      float* dh);

// A stem's convolutions without their products.
void unfold(const Context&, int width, int kernel, const Rows&, const float* before, const float* x,
            float* out);
void unfold_backward(const Context&, int width, int kernel, const Rows&, const float* dout,
                     float* dx);
void last_steps(const Context&, int width, int kernel, const Rows&, const float* before,
                const float* x, float* after);
void rectify(const Context&, int width, const Rows&, float* values);
void rectify_backward(const Context&, int width, const Rows&, const float* values, float* gradient);

// Partial sums of a kernel's blocks. The last block to finish adds them up in the order of the
// blocks. In device memory; all zero before the first use.
struct BlockSums {
  static constexpr int kBlocks = 512;

  double sum[kBlocks];
  std::int64_t first_bad[kBlocks];
  unsigned finished;  // number of finished blocks
};

// One kernel each: loss, gradient check, Adam, dropout, elementwise sum. Results do not depend on
// the capacity.
void loss(const Context&, const LossSpec&, const Rows&, int outputs, const float* y,
          const Targets<float>&, BlockSums* sums, double* mean, float* dy);
void check_gradient(const Context&, std::size_t count, const float* gradient, BlockSums* sums,
                    StepReport* report);
void adam(const Context&, const AdamSettings&, double clip_norm, std::size_t count,
          const float* gradient, const StepReport* report, float* parameters, float* mean,
          float* variance);
void dropout(const Context&, double rate, const DropoutKey&, int width, const Rows&, float* values);
void add(const Context&, std::size_t count, const float* from, float* to);

}  // namespace rwa::cuda

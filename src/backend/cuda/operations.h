// src/backend/cuda/operations.h: the operations of Backend besides the recurrent layers, and with
// the same arguments: the fully connected layer, tables of symbols, averages over steps, and what
// looks at every number once. `scratch` grows to what as many rows as there is room for could need;
// its contents do not matter.
#pragma once

#include <cstddef>
#include <cstdint>

#include "backend/backend.h"
#include "backend/cuda/runtime.h"

namespace rwa::cuda {

// The fully connected layer; `parameters` are as DenseSpec lays them out. All sums are in fp32 and
// in an order that depends on nothing but the layer's sizes and, over rows, their number.
void dense_forward(const Context&, const DenseSpec&, const float* parameters, const Rows&,
                   const float* h, float* y);
void dense_backward(const Context&, const DenseSpec&, const float* parameters, const Rows&,
                    const float* h, const float* dy, DeviceMemory& scratch, float* dparameters,
                    float* dh);

// Rows of a learned table, and their gradient.
void lookup(const Context&, const TableSpec&, const Rows&, const Symbols&, const float* table,
            const float* base, float* out);
void lookup_backward(const Context&, const TableSpec&, const Rows&, const Symbols&,
                     const float* dout, DeviceMemory& scratch, float* dtable, float* dbase);

// The average over the steps of each sequence, plain or by attention.
void average(const Context&, int width, const Rows&, const float* score, const float* h,
             float* share, float* out);
void average_backward(const Context&, int width, const Rows&, const float* score, const float* h,
                      const float* share, const float* dout, DeviceMemory& scratch, float* dscore,
                      float* dh);

// Where the blocks of a kernel leave their sums for the one that finishes last, which adds them up
// in the order of the blocks. In device memory; all zero before its first use.
struct BlockSums {
  static constexpr int kBlocks = 512;

  double sum[kBlocks];
  std::int64_t first_bad[kBlocks];
  unsigned finished;  // blocks
};

// One kernel each: the loss, the check of the gradient, Adam, dropout, sums of two. What they leave
// does not depend on how many steps there is room for.
void loss(const Context&, Loss, const Rows&, int outputs, const float* y, const Targets<float>&,
          BlockSums* sums, double* mean, float* dy);
void check_gradient(const Context&, std::size_t count, const float* gradient, BlockSums* sums,
                    StepReport* report);
void adam(const Context&, const AdamSettings&, double clip_norm, std::size_t count,
          const float* gradient, const StepReport* report, float* parameters, float* mean,
          float* variance);
void dropout(const Context&, double rate, const DropoutKey&, int width, const Rows&, float* values);
void add(const Context&, std::size_t count, const float* from, float* to);

}  // namespace rwa::cuda

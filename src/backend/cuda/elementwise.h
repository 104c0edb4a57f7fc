// src/backend/cuda/elementwise.h: the parts of a training step that look at every number once: the
// loss, the judgement on the gradient, Adam, dropout, sums of two. One kernel each.
#pragma once

#include <cstddef>
#include <cstdint>

#include "backend/backend.h"
#include "backend/cuda/runtime.h"

namespace rwa::cuda {

// Where the blocks of a kernel leave their sums for the one that finishes last, which adds them up
// in the order of the blocks. In device memory; all zero before its first use.
struct BlockSums {
  static constexpr int kBlocks = 512;

  double sum[kBlocks];
  std::int64_t first_bad[kBlocks];
  unsigned finished;  // blocks
};

// As in Backend. What they leave does not depend on how many steps there is room for.
void loss(const Context&, Loss, const Rows&, int outputs, const float* y, const Targets<float>&,
          BlockSums* sums, double* mean, float* dy);
void judge(const Context&, std::size_t count, const float* gradient, BlockSums* sums,
           StepReport* report);
void adam(const Context&, const AdamSettings&, double clip_norm, std::size_t count,
          const float* gradient, const StepReport* report, float* parameters, float* mean,
          float* variance);
void dropout(const Context&, double rate, const DropoutKey&, int width, const Rows&, float* values);
void add(const Context&, std::size_t count, const float* from, float* to);

}  // namespace rwa::cuda

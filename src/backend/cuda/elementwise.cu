// src/backend/cuda/elementwise.cu: losses, Adam and dropout, with the formulas of the other
// backends.
#include <Random123/philox.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <new>

#include "backend/cuda/operations.h"
#include "backend/cuda/rows.h"
#include "base/random.h"

namespace rwa::cuda {
namespace {
#define RWA_INLINE __device__ inline
#include "backend/adam-inl.h"
#include "backend/dropout-inl.h"
#include "backend/loss-inl.h"
#undef RWA_INLINE

constexpr int kThreads = 256;
constexpr int kWarps = kThreads / 32;
constexpr unsigned kAllLanes = 0xffffffffu;
constexpr std::int64_t kNone = INT64_MAX;

unsigned blocks_for(std::size_t count) {
  return static_cast<unsigned>((count + kThreads - 1) / kThreads);
}

// What one thread, block or grid found.
struct Finding {
  double sum = 0;
  std::int64_t first_bad = kNone;

  __device__ void add(const Finding& other) {
    sum += other.sum;
    first_bad = min(first_bad, other.first_bad);
  }
};

// Sums in a fixed order. Thread 0 gets the total.
__device__ Finding block_total(Finding mine) {
  __shared__ double sum[kWarps];
  __shared__ std::int64_t first_bad[kWarps];
  const int lane = static_cast<int>(threadIdx.x % 32);
  const int warp = static_cast<int>(threadIdx.x / 32);
  for (int distance = 16; distance > 0; distance /= 2) {
    mine.add({__shfl_down_sync(kAllLanes, mine.sum, distance),
              __shfl_down_sync(kAllLanes, mine.first_bad, distance)});
  }
  if (lane == 0) {
    sum[warp] = mine.sum;
    first_bad[warp] = mine.first_bad;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < kWarps; ++w) mine.add({sum[w], first_bad[w]});
  }
  __syncthreads();
  return mine;
}

// Returns true in the last block to finish; its thread 0 then has the total of all `blocks`.
__device__ bool grid_total(Finding& mine, BlockSums* sums, unsigned blocks) {
  __shared__ bool last;
  mine = block_total(mine);
  if (threadIdx.x == 0) {
    sums->sum[blockIdx.x] = mine.sum;
    sums->first_bad[blockIdx.x] = mine.first_bad;
    __threadfence();
    last = atomicAdd(&sums->finished, 1u) == blocks - 1;
  }
  __syncthreads();
  if (!last) return false;
  __threadfence();
  mine = {};
  for (unsigned b = threadIdx.x; b < blocks; b += kThreads) {
    mine.add({__ldcg(&sums->sum[b]), __ldcg(&sums->first_bad[b])});
  }
  mine = block_total(mine);
  if (threadIdx.x == 0) sums->finished = 0;
  return true;
}

__global__ void __launch_bounds__(kThreads)
    loss_kernel(LossSpec loss, CountedRows rows, const RowsHeader* target_rows, int outputs,
                const float* y, Targets<float> targets, BlockSums* sums, double* mean, float* dy) {
  const auto size = static_cast<unsigned>(rows.size());
  const unsigned blocks = min(max((size + kThreads - 1) / kThreads, 1u), BlockSums::kBlocks);
  if (blockIdx.x >= blocks) return;
  const bool is_part = target_rows != nullptr && target_rows->counted_in_whole > 0;
  const auto counted = is_part ? static_cast<double>(target_rows->counted_in_whole)
                               : static_cast<double>(rows.counted());
  const double scale = counted > 0 ? 1.0 / counted : 0.0;
  Finding mine;
  for (unsigned i = blockIdx.x * kThreads + threadIdx.x; i < size; i += blocks * kThreads) {
    const int row = rows[static_cast<int>(i)];
    if (row >= 0) mine.sum += loss_row(loss, outputs, row, y, targets, scale, dy);
  }
  if (grid_total(mine, sums, blocks) && threadIdx.x == 0) *mean = mine.sum * scale;
}

__global__ void __launch_bounds__(kThreads)
    check_gradient_kernel(std::int64_t count, const float* gradient, BlockSums* sums, StepReport* report) {
  if (report->failed != 0) return;
  Finding mine;
  for (std::int64_t i = blockIdx.x * kThreads + threadIdx.x; i < count; i += gridDim.x * kThreads) {
    const float g = gradient[i];
    mine.add({static_cast<double>(g) * g, isfinite(g * g) ? kNone : i});
  }
  if (!grid_total(mine, sums, gridDim.x) || threadIdx.x != 0) return;
  const bool bad = mine.first_bad != kNone;
  report->gradient_norm = sqrt(mine.sum);
  report->bad_gradient = bad ? mine.first_bad : -1;
  (bad || !isfinite(report->loss) ? report->failed : report->steps) += 1;
}

__global__ void __launch_bounds__(kThreads)
    adam_kernel(AdamSettings settings, double clip_norm, std::int64_t count, const float* gradient,
                const StepReport* report, float* parameters, float* mean, float* variance) {
  __shared__ alignas(AdamStep<float>) unsigned char shared[sizeof(AdamStep<float>)];
  if (report->failed != 0) return;
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  float g = 0, p = 0, m = 0, v = 0;
  if (i < count) {
    g = gradient[i];
    p = parameters[i];
    m = mean[i];
    v = variance[i];
  }
  // One thread per block computes the slow double-precision powers while the loads are in flight.
  if (threadIdx.x == 0) new (shared) AdamStep<float>(settings, clip_norm, *report);
  __syncthreads();
  if (i >= count) return;
  std::launder(reinterpret_cast<const AdamStep<float>*>(shared))->update(g, p, m, v);
  parameters[i] = p;
  mean[i] = m;
  variance[i] = v;
}

// One warp per row. A mask covers four values; where a row begins or ends inside such a group, it
// shares the mask with the neighbouring row.
__global__ void __launch_bounds__(kThreads)
    dropout_kernel(double rate, float scale, DropoutKey key, int width, CountedRows rows,
                   float* values) {
  const auto i = static_cast<int>(blockIdx.x * kWarps + threadIdx.x / 32);
  const int row = i < rows.size() ? rows[i] : -1;
  if (row < 0) return;
  const Dropout dropout(rate, key);
  const std::uint64_t begin = rows.place(row) * static_cast<std::uint64_t>(width);
  const std::uint64_t end = begin + static_cast<std::uint64_t>(width);
  values += static_cast<std::int64_t>(row) * width;
  for (std::uint64_t group = begin / 4 + threadIdx.x % 32; group * 4 < end; group += 32) {
    const unsigned hidden = dropout.hidden(group);
#pragma unroll
    for (unsigned j = 0; j < 4; ++j) {
      const std::uint64_t at = group * 4 + j;
      if (at < begin || at >= end) continue;
      float& value = values[at - begin];
      value = (hidden >> j & 1) != 0 ? 0.0f : value * scale;
    }
  }
}

__global__ void __launch_bounds__(kThreads)
    add_kernel(std::int64_t count, const float* from, float* to) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (i < count) to[i] += from[i];
}

}  // namespace

void loss(const Context& context, const LossSpec& loss, const Rows& rows, int outputs, const float* y,
          const Targets<float>& targets, BlockSums* sums, double* mean, float* dy) {
  const std::size_t size = rows.index(rows.steps, 0);
  const unsigned blocks = std::clamp(blocks_for(size), 1u, unsigned{BlockSums::kBlocks});
  const RowsHeader* target_rows =
      targets.rows.placed == nullptr ? nullptr : targets.rows.placed->header;
  loss_kernel<<<blocks, kThreads, 0, context.stream>>>(loss, CountedRows(rows), target_rows,
                                                       outputs, y, targets, sums, mean, dy);
  check_launch("the loss");
}

void check_gradient(const Context& context, std::size_t count, const float* gradient, BlockSums* sums,
           StepReport* report) {
  const unsigned blocks = std::clamp(blocks_for(count), 1u, unsigned{BlockSums::kBlocks});
  check_gradient_kernel<<<blocks, kThreads, 0, context.stream>>>(static_cast<std::int64_t>(count), gradient,
                                                        sums, report);
  check_launch("the gradient check");
}

void adam(const Context& context, const AdamSettings& settings, double clip_norm, std::size_t count,
          const float* gradient, const StepReport* report, float* parameters, float* mean,
          float* variance) {
  if (count == 0) return;
  adam_kernel<<<blocks_for(count), kThreads, 0, context.stream>>>(
      settings, clip_norm, static_cast<std::int64_t>(count), gradient, report, parameters, mean,
      variance);
  check_launch("Adam");
}

void dropout(const Context& context, double rate, const DropoutKey& key, int width,
             const Rows& rows, float* values) {
  const std::size_t size = rows.index(rows.steps, 0);
  if (size == 0) return;
  const auto blocks = static_cast<unsigned>((size + kWarps - 1) / kWarps);
  dropout_kernel<<<blocks, kThreads, 0, context.stream>>>(
      rate, static_cast<float>(1 / (1 - rate)), key, width, CountedRows(rows), values);
  check_launch("dropout");
}

void add(const Context& context, std::size_t count, const float* from, float* to) {
  if (count == 0) return;
  add_kernel<<<blocks_for(count), kThreads, 0, context.stream>>>(static_cast<std::int64_t>(count),
                                                                 from, to);
  check_launch("an elementwise sum");
}

}  // namespace rwa::cuda

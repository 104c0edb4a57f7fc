// src/backend/cuda/plain_kernels.cuh: fp32 matrix products on any GPU. A block multiplies a tile of
// 32 rows by a tile of columns; in both, the depth (k) is the fastest index. Tiles 32 deep are
// staged through shared memory in a multi-stage pipeline. The block's threads form four parts; each
// part holds all sums and takes a quarter of the depth. So a thread has enough sums to fill its
// registers, and tiles are small enough for a batch to fill the GPU. The terms of a sum and their
// order depend neither on the row nor on the column.
#pragma once

#include <cuda_pipeline.h>

#include "backend/cuda/rows.h"

namespace rwa::cuda::plain {

inline constexpr int kThreads = 256;
inline constexpr int kParts = 4;
inline constexpr int kTileRows = 32;
inline constexpr int kTileDepth = 32;
inline constexpr int kTileStride = kTileDepth + 4;  // eight consecutive rows cover all banks
inline constexpr int kStages = 4;
inline constexpr int kPartDepth = kTileDepth / kParts;
// A thread owns every eighth row and every eighth column of the tile.
inline constexpr int kSpread = 8;
inline constexpr int kThreadRows = kTileRows / kSpread;
static_assert(kParts * kSpread * kSpread == kThreads);

// Floats of shared memory for a product: first the pipeline stages, then, in the same place, the
// parts' sums, [kParts][kTileRows][sums_stride].
constexpr int stage_size(int columns) { return (kTileRows + columns) * kTileStride; }
constexpr int sums_stride(int columns) { return columns + kSpread; }
constexpr int shared_size(int stage_columns, int sum_columns) {
  const int stages = kStages * stage_size(stage_columns);
  const int sums = kParts * kTileRows * sums_stride(sum_columns);
  return stages > sums ? stages : sums;
}

__device__ inline int thread() { return static_cast<int>(threadIdx.x); }

// Calls fetch(i, stage) and then use(i, stage) for i = 0 … count - 1; fetches run Stages - 1 ahead.
// Copies that any thread starts in fetch() are visible to the whole block in use(). On return all
// stages are free.
template <int Stages, class Fetch, class Use>
__device__ void pipeline(int count, const Fetch& fetch, const Use& use) {
#pragma unroll 1
  for (int i = 1 - Stages; i < count; ++i) {
    if (i >= 0) {
      __pipeline_wait_prior(Stages - 2);
      __syncthreads();
    }
    const int ahead = i + Stages - 1;
    if (ahead < count) fetch(ahead, ahead % Stages);
    __pipeline_commit();
    if (i >= 0) use(i, i % Stages);
  }
  __pipeline_wait_prior(0);
  __syncthreads();
}

// Copies from global to shared memory asynchronously; writes zeros if `from` is null.
__device__ inline void copy_4(float* to, const float* from) {
  if (from != nullptr) {
    __pipeline_memcpy_async(to, from, sizeof(float));
  } else {
    *to = 0.0f;
  }
}
__device__ inline void copy_16(float* to, const float* from) {
  if (from != nullptr) {
    __pipeline_memcpy_async(to, from, sizeof(float4));
  } else {
    *reinterpret_cast<float4*>(to) = {0.0f, 0.0f, 0.0f, 0.0f};
  }
}

// Fills a tile from address(row, depth in the tile); null: zero.
template <int Rows, class Address>
__device__ void fetch_tile(float* tile, const Address& address) {
  static_assert(Rows * kTileDepth % kThreads == 0);
#pragma unroll 4
  for (int first = 0; first < Rows * kTileDepth; first += kThreads) {
    const int i = first + thread();
    const int row = i / kTileDepth;
    const int depth = i % kTileDepth;
    copy_4(tile + row * kTileStride + depth, address(row, depth));
  }
}
// The same in groups of four contiguous floats that are present or absent together.
template <int Rows, class Address>
__device__ void fetch_tile_in_fours(float* tile, const Address& address) {
  static_assert(Rows * kTileDepth % (4 * kThreads) == 0);
#pragma unroll
  for (int first = 0; first < Rows * kTileDepth; first += 4 * kThreads) {
    const int i = first + 4 * thread();
    const int row = i / kTileDepth;
    const int depth = i % kTileDepth;
    copy_16(tile + row * kTileStride + depth, address(row, depth));
  }
}

// A thread's sums for a tile of `Columns` columns.
template <int Columns>
class Sums {
 public:
  // Adds the product of two tiles in shared memory.
  __device__ void add(const float* rows, const float* columns) {
    rows += row() * kTileStride + part() * kPartDepth;
    columns += column() * kTileStride + part() * kPartDepth;
#pragma unroll
    for (int depth = 0; depth < kPartDepth; depth += 4) {
      float4 a[kThreadRows];
#pragma unroll
      for (int i = 0; i < kThreadRows; ++i) a[i] = four(rows, i, depth);
#pragma unroll
      for (int j = 0; j < kThreadColumns; ++j) {
        const float4 b = four(columns, j, depth);
#pragma unroll
        for (int i = 0; i < kThreadRows; ++i) {
          float sum = sums_[i][j];
          sum = fmaf(a[i].x, b.x, sum);
          sum = fmaf(a[i].y, b.y, sum);
          sum = fmaf(a[i].z, b.z, sum);
          sums_[i][j] = fmaf(a[i].w, b.w, sum);
        }
      }
    }
  }

  // Stores the sums to shared memory, from column `first` of `all` on. Call __syncthreads() before
  // reading them.
  __device__ void leave(float* shared, int first, int all) const {
    const int stride = sums_stride(all);
    float* to = shared + (part() * kTileRows + row()) * stride + first + column();
#pragma unroll
    for (int i = 0; i < kThreadRows; ++i) {
#pragma unroll
      for (int j = 0; j < kThreadColumns; ++j) to[i * kSpread * stride + j * kSpread] = sums_[i][j];
    }
  }

 private:
  static constexpr int kThreadColumns = Columns / kSpread;
  static_assert(Columns % kSpread == 0);

  __device__ static int column() { return thread() % kSpread; }
  __device__ static int row() { return thread() / kSpread % kSpread; }
  __device__ static int part() { return thread() / (kSpread * kSpread); }
  __device__ static float4 four(const float* tile, int i, int depth) {
    return *reinterpret_cast<const float4*>(tile + i * kSpread * kTileStride + depth);
  }

  float sums_[kThreadRows][kThreadColumns] = {};
};
// For a cell without such columns.
template <>
class Sums<0> {
 public:
  __device__ void add(const float*, const float*) {}
  __device__ void leave(float*, int, int) const {}
};

// Returns one of the stored sums, added up over the parts.
__device__ inline float take_sum(const float* shared, int row, int column, int all) {
  const int stride = sums_stride(all);
  float sum = 0.0f;
#pragma unroll
  for (int part = 0; part < kParts; ++part) {
    sum += shared[(part * kTileRows + row) * stride + column];
  }
  return sum;
}

// The number of slots of step t; 0 past the last step.
__device__ inline int slots_at(const PlacedRows& rows, int t) {
  return t < rows.capacity ? rows.offset[t + 1] - rows.offset[t] : 0;
}

}  // namespace rwa::cuda::plain

// src/backend/cuda/sums.cuh: sums over many rows whose order depends on nothing but the number of
// rows: they are split into shares, each of which leaves a sum, and these are added up by blocks of
// kLanes x kWarps threads.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>

namespace rwa::cuda {

inline int divide_up(int a, int b) { return (a + b - 1) / b; }

// As many shares as make about `blocks` of `tiles`, but no more than `most`.
inline int shares_of(int tiles, int blocks, int most) {
  return std::clamp(blocks / tiles, 1, most);
}

// How the rows are shared out: all shares have `size`, a multiple of `unit`, but the last that has
// any.
struct Shares {
  __device__ Shares(int row_count, int shares, int unit)
      : rows(row_count), size(((row_count + shares - 1) / shares + unit - 1) / unit * unit) {}
  __device__ int used() const { return size == 0 ? 0 : (rows + size - 1) / size; }
  __device__ int begin(int share) const { return share * size; }
  __device__ int end(int share) const { return min(begin(share) + size, rows); }

  int rows, size;
};

inline constexpr int kLanes = 32;
inline constexpr int kWarps = 8;
inline constexpr unsigned kAllLanes = 0xffffffffu;

// Adds up what the threads of each lane have, warp after warp.
__device__ inline float sum_of_warps(float mine) {
  __shared__ float sums[kWarps][kLanes];
  __syncthreads();  // they may still be read from the time before
  sums[threadIdx.y][threadIdx.x] = mine;
  __syncthreads();
  float sum = 0.0f;
#pragma unroll
  for (int warp = 0; warp < kWarps; ++warp) sum += sums[warp][threadIdx.x];
  return sum;
}

// Adds up what the lanes of a warp have; all lanes get it.
__device__ inline float sum_of_lanes(float mine) {
#pragma unroll
  for (int distance = kLanes / 2; distance > 0; distance /= 2) {
    mine += __shfl_xor_sync(kAllLanes, mine, distance);
  }
  return mine;
}

}  // namespace rwa::cuda

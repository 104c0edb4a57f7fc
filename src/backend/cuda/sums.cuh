// src/backend/cuda/sums.cuh: sums over rows in an order that depends only on the number of rows.
// The rows are divided into shares; each share leaves a partial sum, and blocks of kLanes x kWarps
// threads add these up.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>

namespace rwa::cuda {

inline int divide_up(int a, int b) { return (a + b - 1) / b; }

// The number of shares per tile that gives about `blocks` thread blocks, at most `most`.
inline int shares_of(int tiles, int blocks, int most) {
  return std::clamp(blocks / tiles, 1, most);
}

// Divides rows into shares of `size`, a multiple of `unit`; the last used share may be smaller.
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

// Sums `mine` over the warps, lane by lane, in the order of the warps. All threads get the result.
__device__ inline float sum_of_warps(float mine) {
  __shared__ float sums[kWarps][kLanes];
  __syncthreads();  // the previous call may still be reading
  sums[threadIdx.y][threadIdx.x] = mine;
  __syncthreads();
  float sum = 0.0f;
#pragma unroll
  for (int warp = 0; warp < kWarps; ++warp) sum += sums[warp][threadIdx.x];
  return sum;
}

// Sums `mine` over the lanes of a warp; all lanes get the result.
__device__ inline float sum_of_lanes(float mine) {
#pragma unroll
  for (int distance = kLanes / 2; distance > 0; distance /= 2) {
    mine += __shfl_xor_sync(kAllLanes, mine, distance);
  }
  return mine;
}

}  // namespace rwa::cuda

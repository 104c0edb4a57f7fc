// src/backend/cuda/average.cu: one block per sequence. Its warps take the steps in turn, a lane has
// every 32nd column; partial sums are added up in the order of the warps. The formulas are those of
// backend/host_parts.h.
#include <cmath>

#include "backend/cuda/operations.h"
#include "backend/cuda/rows.h"
#include "backend/cuda/sums.cuh"

namespace rwa::cuda {
namespace {

constexpr int kThreads = kLanes * kWarps;
constexpr int kColumns = 4;  // summed by a lane at a time

__device__ int lane() { return static_cast<int>(threadIdx.x); }
__device__ int warp() { return static_cast<int>(threadIdx.y); }

// The block's sequence.
struct Sequence {
  __device__ Sequence(const CountedRows& rows, int columns)
      : batch(rows.batch()),
        number(rows.sequence(static_cast<int>(blockIdx.x))),
        length(rows.length(static_cast<int>(blockIdx.x))),
        width(columns) {}
  // The index in [T,B] arrays, and the first index in [T,B,width] arrays.
  __device__ std::size_t row(int t) const { return static_cast<std::size_t>(t) * batch + number; }
  __device__ std::size_t begin(int t) const { return row(t) * width; }

  int batch, number, length, width;
};

// Returns a · b to all lanes of the warp.
__device__ float dot(int width, const float* a, const float* b) {
  float sum = 0.0f;
#pragma unroll 4
  for (int c = lane(); c < width; c += kLanes) sum = fmaf(a[c], b[c], sum);
  return sum_of_lanes(sum);
}

// Over all threads of the block.
__device__ float block_sum(float mine) { return sum_of_lanes(sum_of_warps(mine)); }
__device__ float block_maximum(float mine) {
  __shared__ float largest[kWarps];
#pragma unroll
  for (int distance = kLanes / 2; distance > 0; distance /= 2) {
    mine = fmaxf(mine, __shfl_xor_sync(kAllLanes, mine, distance));
  }
  if (lane() == 0) largest[warp()] = mine;
  __syncthreads();
  for (int w = 0; w < kWarps; ++w) mine = fmaxf(mine, largest[w]);
  return mine;
}

// Leaves the exponentials of the scores in `share` and returns one over their sum. The largest
// score is subtracted first, so that none overflows.
__device__ float exponentials(const Sequence& s, const float* score, const float* h,
                              float* share) {
  float largest = -INFINITY;
  for (int t = warp(); t < s.length; t += kWarps) {
    const float value = dot(s.width, score, h + s.begin(t));
    largest = fmaxf(largest, value);
    if (lane() == 0) share[s.row(t)] = value;
  }
  largest = block_maximum(largest);  // synchronises: all scores are written now
  float sum = 0.0f;
  for (int t = warp() * kLanes + lane(); t < s.length; t += kThreads) {
    sum += share[s.row(t)] = expf(share[s.row(t)] - largest);
  }
  return 1.0f / block_sum(sum);
}

__global__ void __launch_bounds__(kThreads)
    average_kernel(const CountedRows rows, int width, const float* score, const float* h,
                   float* share, float* out) {
  const Sequence s(rows, width);
  float scale = s.length > 0 ? 1.0f / static_cast<float>(s.length) : 0.0f;
  if (score != nullptr && s.length > 0) scale = exponentials(s, score, h, share);
  __syncthreads();
  for (int t = warp() * kLanes + lane(); t < s.length; t += kThreads) {
    share[s.row(t)] = score != nullptr ? share[s.row(t)] * scale : scale;
  }
  __syncthreads();
  for (int first = 0; first < width; first += kColumns * kLanes) {
    float sum[kColumns] = {};
#pragma unroll 2
    for (int t = warp(); t < s.length; t += kWarps) {
      const float weight = share[s.row(t)];
#pragma unroll
      for (int i = 0; i < kColumns; ++i) {
        const int c = first + i * kLanes + lane();
        if (c < width) sum[i] = fmaf(weight, h[s.begin(t) + c], sum[i]);
      }
    }
#pragma unroll
    for (int i = 0; i < kColumns; ++i) {
      const int c = first + i * kLanes + lane();
      const float total = sum_of_warps(sum[i]);
      if (warp() == 0 && c < width) out[static_cast<std::size_t>(s.number) * width + c] = total;
    }
  }
}

struct Backward {
  CountedRows rows;
  int width;
  const float *score, *h, *share, *dout;
  float* dscores;  // [T,B]: the gradient of each step's score · h
  float* dscore;   // [B,width]: each sequence's share of the gradient of score
  float* dh;
};

// Writes  share_t (dout · h_t - Σ_i share_i dout · h_i)  to dscores.
__device__ void find_dscores(const Backward& b, const Sequence& s, const float* dout) {
  float sum = 0.0f;
  for (int t = warp(); t < s.length; t += kWarps) {
    const float value = dot(s.width, dout, b.h + s.begin(t));
    if (lane() != 0) continue;
    b.dscores[s.row(t)] = value;
    sum = fmaf(b.share[s.row(t)], value, sum);
  }
  const float mean = block_sum(sum);
  for (int t = warp() * kLanes + lane(); t < s.length; t += kThreads) {
    b.dscores[s.row(t)] = b.share[s.row(t)] * (b.dscores[s.row(t)] - mean);
  }
  __syncthreads();
}

__global__ void __launch_bounds__(kThreads) backward_kernel(const Backward b) {
  const Sequence s(b.rows, b.width);
  const bool attends = b.score != nullptr;
  const float* dout = b.dout + static_cast<std::size_t>(s.number) * s.width;
  if (attends) find_dscores(b, s, dout);
  for (int first = 0; first < s.width; first += kColumns * kLanes) {
    float from[kColumns] = {};
    float score[kColumns] = {};
    float sum[kColumns] = {};
#pragma unroll
    for (int i = 0; i < kColumns; ++i) {
      const int c = first + i * kLanes + lane();
      if (c >= s.width) continue;
      from[i] = dout[c];
      if (attends) score[i] = b.score[c];
    }
#pragma unroll 2
    for (int t = warp(); t < s.length; t += kWarps) {
      const float share = b.share[s.row(t)];
      const float dscore = attends ? b.dscores[s.row(t)] : 0.0f;
#pragma unroll
      for (int i = 0; i < kColumns; ++i) {
        const int c = first + i * kLanes + lane();
        if (c >= s.width) continue;
        b.dh[s.begin(t) + c] = fmaf(dscore, score[i], share * from[i]);
        if (attends) sum[i] = fmaf(dscore, b.h[s.begin(t) + c], sum[i]);
      }
    }
#pragma unroll
    for (int i = 0; attends && i < kColumns; ++i) {
      const int c = first + i * kLanes + lane();
      const float total = sum_of_warps(sum[i]);
      if (warp() == 0 && c < s.width) {
        b.dscore[static_cast<std::size_t>(s.number) * s.width + c] = total;
      }
    }
  }
}

// Sums over the sequences.
__global__ void __launch_bounds__(kThreads)
    add_sequences(int batch, int width, const float* from, float* dscore) {
  const int column = static_cast<int>(blockIdx.x) * kLanes + lane();
  float mine = 0.0f;
#pragma unroll 4
  for (int b = warp(); column < width && b < batch; b += kWarps) {
    mine += from[static_cast<std::size_t>(b) * width + column];
  }
  const float sum = sum_of_warps(mine);
  if (warp() == 0 && column < width) dscore[column] += sum;
}

}  // namespace

void average(const Context& context, int width, const Rows& rows, const float* score,
             const float* h, float* share, float* out) {
  average_kernel<<<static_cast<unsigned>(rows.batch), dim3(kLanes, kWarps), 0, context.stream>>>(
      CountedRows(rows), width, score, h, share, out);
  check_launch("the average over the steps");
}

void average_backward(const Context& context, int width, const Rows& rows, const float* score,
                      const float* h, const float* share, const float* dout, DeviceMemory& scratch,
                      float* dscore, float* dh) {
  const std::size_t row_count = rows.index(rows.steps, 0);
  const std::size_t sums = static_cast<std::size_t>(rows.batch) * static_cast<std::size_t>(width);
  if (score != nullptr) scratch.reserve((row_count + sums) * sizeof(float));
  float* per_sequence = scratch.as<float>();
  const Backward job{.rows = CountedRows(rows),
                     .width = width,
                     .score = score,
                     .h = h,
                     .share = share,
                     .dout = dout,
                     .dscores = score != nullptr ? per_sequence + sums : nullptr,
                     .dscore = per_sequence,
                     .dh = dh};
  const dim3 threads(kLanes, kWarps);
  backward_kernel<<<static_cast<unsigned>(rows.batch), threads, 0, context.stream>>>(job);
  check_launch("the gradient of the average over the steps");
  if (dscore == nullptr) return;
  add_sequences<<<static_cast<unsigned>(divide_up(width, kLanes)), threads, 0, context.stream>>>(
      rows.batch, width, per_sequence, dscore);
  check_launch("the gradient of attention's score");
}

}  // namespace rwa::cuda

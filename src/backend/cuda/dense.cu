// src/backend/cuda/dense.cu: the fully connected layer. Most layers have few outputs, so the
// kernels are memory-bound: h and its gradient are read or written once, in whole lines. Outputs
// are processed sixteen at a time.
//
// Three kernels. Forward: a thread has some rows by four outputs; both operands are staged in
// shared memory. Parameter gradient: a thread has sixteen outputs by four columns of h, which it
// loads itself; the rows are divided into shares, and each share leaves a sum. Gradient of h: a
// thread has eight rows by four columns; some blocks of this kernel add up the shares instead.
#include <cuda_pipeline_primitives.h>

#include <algorithm>
#include <cstdint>

#include "backend/cuda/operations.h"
#include "backend/cuda/rows.h"

namespace rwa::cuda {
namespace {

constexpr int kTileOutputs = 16;

constexpr int tiles_of(int count, int tile) { return (count + tile - 1) / tile; }

// DenseSpec for kernels.
struct Layer {
  explicit Layer(const DenseSpec& spec)
      : inputs(spec.inputs),
        outputs(spec.outputs),
        bias(static_cast<std::int64_t>(spec.bias())),
        parameters(static_cast<std::int64_t>(spec.parameters())) {}

  int inputs, outputs;
  std::int64_t bias, parameters;
};

// Forward stages kChunk columns at a time. kPitch puts quads of eight rows into different banks.
constexpr int kForwardThreads = 128;
constexpr int kForwardWarps = kForwardThreads / 32;
constexpr int kChunk = 32;
constexpr int kPitch = kChunk + 4;

// More rows per thread mean less traffic, fewer rows mean more blocks.
template <int RowsPerThread, int Stages>
struct ForwardTile {
  static constexpr int kRows = 32 * RowsPerThread;

  alignas(16) float h[Stages][kRows][kPitch];
  alignas(16) float weight[Stages][kTileOutputs][kPitch];
  int row[kRows];  // of h and y; -1 for padding
};

struct ForwardOperands {
  Layer layer;
  const float* parameters;
  const float* h;
  float* y;
};

__device__ void copy_or_clear(float* shared, bool copied, const float* from, std::int64_t at) {
  if (copied) {
    __pipeline_memcpy_async(shared, from + at, sizeof(float));
  } else {
    *shared = 0;
  }
}

// Starts copying columns chunk * kChunk … of the tile's rows and outputs to shared memory, one warp
// per row. Past the last chunk it only commits an empty group, so that the group count stays right.
template <int RowsPerThread, int Stages>
__device__ void fetch(ForwardTile<RowsPerThread, Stages>& tile, const ForwardOperands& in,
                      int first_output, int chunk) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  const int warp = static_cast<int>(threadIdx.x / 32);
  const int column = chunk * kChunk + lane;
  if (chunk * kChunk < in.layer.inputs) {
    const bool inside = column < in.layer.inputs;
    for (int r = warp; r < tile.kRows; r += kForwardWarps) {
      const int row = tile.row[r];
      copy_or_clear(&tile.h[chunk % Stages][r][lane], inside && row >= 0, in.h,
                    static_cast<std::int64_t>(row) * in.layer.inputs + column);
    }
    for (int o = warp; o < kTileOutputs; o += kForwardWarps) {
      const int output = first_output + o;
      copy_or_clear(&tile.weight[chunk % Stages][o][lane], inside && output < in.layer.outputs,
                    in.parameters, static_cast<std::int64_t>(output) * in.layer.inputs + column);
    }
  }
  __pipeline_commit();
}

__device__ float add_product(float4 a, float4 b, float sum) {
  return fmaf(a.w, b.w, fmaf(a.z, b.z, fmaf(a.y, b.y, fmaf(a.x, b.x, sum))));
}

template <int RowsPerThread, int Stages>
__global__ void __launch_bounds__(kForwardThreads)
    forward_kernel(CountedRows rows, ForwardOperands in, int output_tiles) {
  using Tile = ForwardTile<RowsPerThread, Stages>;
  __shared__ Tile tile;
  const int thread = static_cast<int>(threadIdx.x);
  const int block = static_cast<int>(blockIdx.x);
  const int first_row = block / output_tiles * Tile::kRows;
  const int first_output = block % output_tiles * kTileOutputs;
  bool any = false;
  if (thread < Tile::kRows) {
    tile.row[thread] = first_row + thread < rows.size() ? rows[first_row + thread] : -1;
    any = tile.row[thread] >= 0;
  }
  if (__syncthreads_or(any) == 0) return;

  const int my_row = thread / 32 * 8 + thread % 8;  // and every 32nd after it
  const int my_output = thread % 32 / 8 * 4;        // and the three after it
  float sum[RowsPerThread][4] = {};
  for (int c = 0; c < Stages - 1; ++c) fetch(tile, in, first_output, c);
  for (int c = 0; c < tiles_of(in.layer.inputs, kChunk); ++c) {
    fetch(tile, in, first_output, c + Stages - 1);
    __pipeline_wait_prior(Stages - 1);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kChunk; k += 4) {
      float4 weight[4];
#pragma unroll
      for (int o = 0; o < 4; ++o) {
        weight[o] = *reinterpret_cast<float4*>(&tile.weight[c % Stages][my_output + o][k]);
      }
#pragma unroll
      for (int r = 0; r < RowsPerThread; ++r) {
        const auto h = *reinterpret_cast<float4*>(&tile.h[c % Stages][my_row + 32 * r][k]);
#pragma unroll
        for (int o = 0; o < 4; ++o) sum[r][o] = add_product(h, weight[o], sum[r][o]);
      }
    }
    __syncthreads();
  }

#pragma unroll
  for (int r = 0; r < RowsPerThread; ++r) {
    const int row = tile.row[my_row + 32 * r];
    if (row < 0) continue;
#pragma unroll
    for (int o = 0; o < 4; ++o) {
      const int output = first_output + my_output + o;
      if (output >= in.layer.outputs) continue;
      in.y[static_cast<std::int64_t>(row) * in.layer.outputs + output] =
          sum[r][o] + in.parameters[in.layer.bias + output];
    }
  }
}

// Backward: neighbouring lanes have neighbouring columns, four times over.
constexpr int kWarps = 8;
constexpr int kThreads = 32 * kWarps;
constexpr int kLaneColumns = 4;
constexpr int kTileColumns = 32 * kLaneColumns;
constexpr int kBatchRows = 64;  // with dy in shared memory at a time
constexpr int kWarpRows = kBatchRows / kWarps;
// Target for tiles x shares: about two full waves on an H200. A constant, so that the order of the
// sums does not depend on the GPU.
constexpr int kWantedBlocks = 512;
constexpr int kLeastShare = 32;  // rows

struct BackwardOperands {
  Layer layer;
  const float* parameters;
  const float* h;
  const float* dy;
  float* shares;  // [shares][parameters]
  int most_shares;
  float* dparameters;
  float* dh;
};

// Rows per share; `rows` is the actual number, not the capacity.
__device__ int share_rows(int rows, int most_shares) {
  return tiles_of(tiles_of(rows, most_shares), kLeastShare) * kLeastShare;
}

// The gradients of sixteen outputs at kBatchRows rows; 0 for padding.
struct OutputDeltas {
  alignas(16) float delta[kBatchRows][kTileOutputs];
  int row[kBatchRows];  // of h and dy; -1 for padding
};

// Loads rows from `first` on, up to `end`.
__device__ void fetch(OutputDeltas& to, const CountedRows& rows, int first, int end,
                      int first_output, int outputs, const float* dy) {
  static_assert(kThreads == kBatchRows * kTileOutputs / 4);
  const int r = static_cast<int>(threadIdx.x / 4);
  const int o = static_cast<int>(threadIdx.x % 4) * 4;
  const int row = first + r < end ? rows[first + r] : -1;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int output = first_output + o + i;
    to.delta[r][o + i] =
        row >= 0 && output < outputs ? dy[static_cast<std::int64_t>(row) * outputs + output] : 0.0f;
  }
  if (o == 0) to.row[r] = row;
}

using ParameterSums = float[kTileOutputs][kLaneColumns];

// Adds the products of the warp's rows of `deltas`. The column after the last is 1 in all rows: its
// weight is the bias.
__device__ void add_rows(const OutputDeltas& deltas, const BackwardOperands& in, int count,
                         int first_column, ParameterSums& sum) {
  constexpr int kAtOnce = 4;
  const int warp = static_cast<int>(threadIdx.x / 32);
  for (int first = warp; first < count; first += kAtOnce * kWarps) {
    float h[kAtOnce][kLaneColumns];
#pragma unroll
    for (int i = 0; i < kAtOnce; ++i) {
      const int row = deltas.row[first + i * kWarps];
#pragma unroll
      for (int j = 0; j < kLaneColumns; ++j) {
        const int column = first_column + 32 * j;
        h[i][j] = column == in.layer.inputs ? 1.0f : 0.0f;
        if (row >= 0 && column < in.layer.inputs) {
          h[i][j] = in.h[static_cast<std::int64_t>(row) * in.layer.inputs + column];
        }
      }
    }
#pragma unroll
    for (int i = 0; i < kAtOnce; ++i) {
#pragma unroll
      for (int o = 0; o < kTileOutputs; o += 4) {
        const auto d = *reinterpret_cast<const float4*>(&deltas.delta[first + i * kWarps][o]);
#pragma unroll
        for (int j = 0; j < kLaneColumns; ++j) {
          sum[o][j] = fmaf(d.x, h[i][j], sum[o][j]);
          sum[o + 1][j] = fmaf(d.y, h[i][j], sum[o + 1][j]);
          sum[o + 2][j] = fmaf(d.z, h[i][j], sum[o + 2][j]);
          sum[o + 3][j] = fmaf(d.w, h[i][j], sum[o + 3][j]);
        }
      }
    }
  }
}

// Adds up the sums of all warps in the first warp.
__device__ void add_warps(ParameterSums& sum) {
  __shared__ float other[kWarps / 2][kTileOutputs][kLaneColumns][32];
  const int lane = static_cast<int>(threadIdx.x % 32);
  const int warp = static_cast<int>(threadIdx.x / 32);
#pragma unroll 1
  for (int half = kWarps / 2; half > 0; half /= 2) {
#pragma unroll
    for (int o = 0; o < kTileOutputs; ++o) {
#pragma unroll
      for (int j = 0; j < kLaneColumns; ++j) {
        if (warp >= half && warp < 2 * half) other[warp - half][o][j][lane] = sum[o][j];
      }
    }
    __syncthreads();
#pragma unroll
    for (int o = 0; o < kTileOutputs; ++o) {
#pragma unroll
      for (int j = 0; j < kLaneColumns; ++j) {
        if (warp < half) sum[o][j] += other[warp][o][j][lane];
      }
    }
    __syncthreads();
  }
}

__global__ void __launch_bounds__(kThreads, 2)
    parameters_kernel(CountedRows rows, BackwardOperands in, int column_tiles, int output_tiles) {
  __shared__ OutputDeltas deltas;
  const int tiles = column_tiles * output_tiles;
  const int share = static_cast<int>(blockIdx.x) / tiles;
  const int tile = static_cast<int>(blockIdx.x) % tiles;
  const int first_output = tile % output_tiles * kTileOutputs;
  const int first_column = tile / output_tiles * kTileColumns + static_cast<int>(threadIdx.x % 32);
  const int size = rows.size();
  const int length = share_rows(size, in.most_shares);
  const int begin = share * length;
  if (begin >= size) return;
  const int end = min(begin + length, size);

  ParameterSums sum = {};
  for (int first = begin; first < end; first += kBatchRows) {
    __syncthreads();
    fetch(deltas, rows, first, end, first_output, in.layer.outputs, in.dy);
    __syncthreads();
    add_rows(deltas, in, min(end - first, kBatchRows), first_column, sum);
  }
  add_warps(sum);
  if (threadIdx.x >= 32) return;

  float* const out = in.shares + share * in.layer.parameters;
#pragma unroll
  for (int o = 0; o < kTileOutputs; ++o) {
#pragma unroll
    for (int j = 0; j < kLaneColumns; ++j) {
      const int output = first_output + o;
      const int column = first_column + 32 * j;
      if (output >= in.layer.outputs || column > in.layer.inputs) continue;
      const std::int64_t at = column < in.layer.inputs
                                  ? static_cast<std::int64_t>(output) * in.layer.inputs + column
                                  : in.layer.bias + output;
      out[at] = sum[o][j];
    }
  }
}

__device__ void add_shares(const CountedRows& rows, const BackwardOperands& in) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (i >= in.layer.parameters) return;
  const int size = rows.size();
  const int shares = size > 0 ? tiles_of(size, share_rows(size, in.most_shares)) : 0;
  float sum = 0;
#pragma unroll 16
  for (int s = 0; s < shares; ++s) sum += in.shares[s * in.layer.parameters + i];
  in.dparameters[i] += sum;
}

__device__ void write_dh(const CountedRows& rows, const BackwardOperands& in, int first_row,
                         int column_tile) {
  __shared__ OutputDeltas deltas;
  __shared__ float weight[kTileOutputs][kTileColumns];
  const int lane = static_cast<int>(threadIdx.x % 32);
  const int warp = static_cast<int>(threadIdx.x / 32);
  const int tile_column = column_tile * kTileColumns;
  float sum[kWarpRows][kLaneColumns] = {};
  for (int first = 0; first < in.layer.outputs; first += kTileOutputs) {
    __syncthreads();
    fetch(deltas, rows, first_row, rows.size(), first, in.layer.outputs, in.dy);
    for (int i = static_cast<int>(threadIdx.x); i < kTileOutputs * kTileColumns; i += kThreads) {
      const int output = first + i / kTileColumns;
      const int column = tile_column + i % kTileColumns;
      weight[i / kTileColumns][i % kTileColumns] =
          output < in.layer.outputs && column < in.layer.inputs
              ? in.parameters[static_cast<std::int64_t>(output) * in.layer.inputs + column]
              : 0.0f;
    }
    __syncthreads();
    for (int o = 0; o < min(kTileOutputs, in.layer.outputs - first); o += 4) {
      float4 w[kLaneColumns];
#pragma unroll
      for (int j = 0; j < kLaneColumns; ++j) {
        const int column = lane + 32 * j;
        w[j] = {weight[o][column], weight[o + 1][column], weight[o + 2][column],
                weight[o + 3][column]};
      }
#pragma unroll
      for (int r = 0; r < kWarpRows; ++r) {
        const auto d = *reinterpret_cast<const float4*>(&deltas.delta[warp + r * kWarps][o]);
#pragma unroll
        for (int j = 0; j < kLaneColumns; ++j) sum[r][j] = add_product(d, w[j], sum[r][j]);
      }
    }
  }
#pragma unroll
  for (int r = 0; r < kWarpRows; ++r) {
    const int row = deltas.row[warp + r * kWarps];
#pragma unroll
    for (int j = 0; j < kLaneColumns; ++j) {
      const int column = tile_column + lane + 32 * j;
      if (row < 0 || column >= in.layer.inputs) continue;
      in.dh[static_cast<std::int64_t>(row) * in.layer.inputs + column] = sum[r][j];
    }
  }
}

__global__ void __launch_bounds__(kThreads)
    h_kernel(CountedRows rows, BackwardOperands in, int adding_blocks, int column_tiles) {
  const int block = static_cast<int>(blockIdx.x) - adding_blocks;
  if (block < 0) {
    add_shares(rows, in);
    return;
  }
  const int first_row = block / column_tiles * kBatchRows;
  if (first_row < rows.size()) write_dh(rows, in, first_row, block % column_tiles);
}

template <int RowsPerThread, int Stages>
void launch_forward(const Context& context, const Rows& rows, const ForwardOperands& in) {
  const int output_tiles = tiles_of(in.layer.outputs, kTileOutputs);
  const int row_tiles = tiles_of(row_count(rows), ForwardTile<RowsPerThread, Stages>::kRows);
  forward_kernel<RowsPerThread, Stages>
      <<<row_tiles * output_tiles, kForwardThreads, 0, context.stream>>>(CountedRows(rows), in,
                                                                         output_tiles);
  check_launch("the output layer");
}

}  // namespace

void dense_forward(const Context& context, const DenseSpec& spec, const float* parameters,
                   const Rows& rows, const float* h, float* y) {
  constexpr int kManyRows = 16384;
  if (row_count(rows) == 0) return;
  const ForwardOperands in{Layer(spec), parameters, h, y};
  if (row_count(rows) >= kManyRows) {
    launch_forward<4, 2>(context, rows, in);
  } else {
    launch_forward<1, 6>(context, rows, in);
  }
}

void dense_backward(const Context& context, const DenseSpec& spec, const float* parameters,
                    const Rows& rows, const float* h, const float* dy, DeviceMemory& scratch,
                    float* dparameters, float* dh) {
  if (row_count(rows) == 0) return;
  const int column_tiles = tiles_of(spec.inputs, kTileColumns);
  const int bias_tiles = tiles_of(spec.inputs + 1, kTileColumns);  // with the bias as a column
  const int output_tiles = tiles_of(spec.outputs, kTileOutputs);
  const int tiles = bias_tiles * output_tiles;
  const int most_shares = std::max(kWantedBlocks / tiles, 1);
  const int shares = std::min(most_shares, tiles_of(row_count(rows), kLeastShare));
  scratch.reserve(static_cast<std::size_t>(most_shares) * spec.parameters() * sizeof(float));
  const BackwardOperands in{Layer(spec),         parameters,  h,           dy,
                            scratch.as<float>(), most_shares, dparameters, dh};

  parameters_kernel<<<shares * tiles, kThreads, 0, context.stream>>>(CountedRows(rows), in,
                                                                     bias_tiles, output_tiles);
  check_launch("the gradient of the output layer");
  const int adding_blocks = static_cast<int>((spec.parameters() + kThreads - 1) / kThreads);
  const int row_tiles = dh == nullptr ? 0 : tiles_of(row_count(rows), kBatchRows);
  h_kernel<<<adding_blocks + row_tiles * column_tiles, kThreads, 0, context.stream>>>(
      CountedRows(rows), in, adding_blocks, column_tiles);
  check_launch("the gradient of the output layer's input");
}

}  // namespace rwa::cuda

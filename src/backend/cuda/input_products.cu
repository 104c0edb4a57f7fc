// src/backend/cuda/input_products.cu: W x + b for all steps at once. A block computes a tile of 128
// rows by 128 columns, a thread 8 by 8 of it. Both operands are staged in shared memory, 16
// features at a time.
#include "backend/cuda/persistent.h"

#include "backend/cuda/plain_kernels.cuh"
#include "backend/cuda/rows.h"

namespace rwa::cuda {
namespace {

using plain::thread;

constexpr int kTile = 128;
constexpr int kDepth = 16;
constexpr int kPitch = kDepth + 4;  // puts the rows that a warp reads into different banks
constexpr int kStages = 2;
constexpr int kPlaces = 16;  // threads along each side of the tile
static_assert(kPlaces * kPlaces == plain::kThreads && kTile == 8 * kPlaces);

struct InputProduct {
  CountedRows rows;
  const float* x;        // [rows][features]
  const float* weights;  // [features][columns]
  const float* bias;     // [columns]
  int features, columns;  // a column per preactivation and unit, [preactivation][Hp]
  float* out;             // [rows][columns]

  __host__ __device__ int column_tiles() const { return (columns + kTile - 1) / kTile; }
};

struct Stage {
  alignas(16) float x[kTile][kPitch];
  alignas(16) float weights[kDepth][kTile];
};

// Starts copying features from `first` on. sources: the rows of x, -1 for padding.
__device__ void fetch(const InputProduct& p, const int* sources, int first, int first_column,
                      Stage& stage) {
  const int depth = thread() % kDepth;
#pragma unroll
  for (int row = thread() / kDepth; row < kTile; row += plain::kThreads / kDepth) {
    const int feature = first + depth;
    const bool is_there = sources[row] >= 0 && feature < p.features;
    const float* from = p.x + static_cast<std::size_t>(sources[row]) * p.features + feature;
    plain::copy_4(&stage.x[row][depth], is_there ? from : nullptr);
  }
#pragma unroll
  for (int i = 4 * thread(); i < kDepth * kTile; i += 4 * plain::kThreads) {
    const int feature = first + i / kTile;
    const int column = first_column + i % kTile;
    const bool is_there = feature < p.features && column < p.columns;
    plain::copy_16(&stage.weights[i / kTile][i % kTile],
                   is_there ? p.weights + static_cast<std::size_t>(feature) * p.columns + column
                            : nullptr);
  }
}

// A thread's part of the tile: every 16th row, and four columns in each half.
class Sums {
 public:
  // A warp covers 4 row places by 8 column places.
  __device__ Sums()
      : row_(thread() / 64 * 4 + thread() % 32 / 8),
        column_((thread() / 32 % 2 * 8 + thread() % 8) * 4) {}

  __device__ void add(const Stage& stage) {
#pragma unroll
    for (int depth = 0; depth < kDepth; depth += 4) {
      float x[8][4];
#pragma unroll
      for (int i = 0; i < 8; ++i) take_four(&stage.x[row(i)][depth], x[i]);
#pragma unroll
      for (int d = 0; d < 4; ++d) {
        float weights[8];
        take_four(&stage.weights[depth + d][column(0)], weights);
        take_four(&stage.weights[depth + d][column(1)], weights + 4);
#pragma unroll
        for (int i = 0; i < 8; ++i) {
#pragma unroll
          for (int j = 0; j < 8; ++j) sums_[i][j] = fmaf(x[i][d], weights[j], sums_[i][j]);
        }
      }
    }
  }

  __device__ void store(const InputProduct& p, const int* sources, int first_column) const {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int at = first_column + column(half);
      if (at >= p.columns) continue;
      float bias[4];
      take_four(p.bias + at, bias);
#pragma unroll
      for (int i = 0; i < 8; ++i) {
        if (sources[row(i)] < 0) continue;
        const float* sum = sums_[i] + 4 * half;
        float* to = p.out + static_cast<std::size_t>(sources[row(i)]) * p.columns + at;
        *reinterpret_cast<float4*>(to) = {sum[0] + bias[0], sum[1] + bias[1], sum[2] + bias[2],
                                          sum[3] + bias[3]};
      }
    }
  }

 private:
  __device__ int row(int i) const { return row_ + kPlaces * i; }
  __device__ int column(int half) const { return column_ + half * kTile / 2; }
  __device__ static void take_four(const float* from, float* to) {
    const float4 four = *reinterpret_cast<const float4*>(from);
    to[0] = four.x;
    to[1] = four.y;
    to[2] = four.z;
    to[3] = four.w;
  }

  int row_, column_;
  float sums_[8][8] = {};
};

__global__ void __launch_bounds__(plain::kThreads, 2) multiply(const InputProduct p) {
  __shared__ Stage stages[kStages];
  __shared__ int sources[kTile];
  const int tile = static_cast<int>(blockIdx.x);
  const int first_row = tile / p.column_tiles() * kTile;
  const int first_column = tile % p.column_tiles() * kTile;
  bool any = false;
  if (thread() < kTile) {
    const int row = first_row + thread();
    sources[thread()] = row < p.rows.size() ? p.rows[row] : -1;
    any = sources[thread()] >= 0;
  }
  if (__syncthreads_or(any) == 0) return;
  Sums sums;
  plain::pipeline<kStages>(
      (p.features + kDepth - 1) / kDepth,
      [&](int i, int stage) { fetch(p, sources, i * kDepth, first_column, stages[stage]); },
      [&](int, int stage) { sums.add(stages[stage]); });
  sums.store(p, sources, first_column);
}

}  // namespace

void multiply_inputs(const Context& context, const PackedSizes& sizes, const Packed& weights,
                     const Rows& rows, const float* x, float* x_part) {
  const InputProduct product{.rows = CountedRows(rows),
                        .x = x,
                        .weights = weights.weight_x,
                        .bias = weights.bias,
                        .features = sizes.inputs,
                        .columns = sizes.preactivations * sizes.padded_units,
                        .out = x_part};
  const long row_tiles = (static_cast<long>(rows.steps) * rows.batch + kTile - 1) / kTile;
  if (row_tiles == 0) return;
  const auto blocks = static_cast<unsigned>(row_tiles * product.column_tiles());
  multiply<<<blocks, plain::kThreads, 0, context.stream>>>(product);
  check_launch("multiply_inputs");
}

}  // namespace rwa::cuda

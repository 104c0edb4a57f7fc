// src/backend/cuda/x_gradients.cu: the gradient of x: the product of the gradients on the tape and
// weight_x, in tiles of 128 rows by 128 features, 16 columns of the gradients at a time. A thread
// has 8 rows by 8 features. Shared memory holds both operands by column, so the gradients are
// transposed as they are copied.
#include "backend/cuda/plain_kernels.cuh"
#include "backend/cuda/sums.cuh"
#include "backend/cuda/tape.cuh"

namespace rwa::cuda {
namespace {

using plain::thread;

constexpr int kTile = 128;
constexpr int kDepth = 16;
constexpr int kStages = 3;
static_assert(plain::kThreads == 2 * kTile);

struct XProduct {
  PlacedRows rows;
  DeltaColumns columns;
  const float* weight_x;
  int inputs, units;
  bool reverse;
  TermBits sees_x;
  float* dx;
};

using Tile = float[kDepth][kTile];

// The position of a row in a column of transposed gradients. Groups of four are XOR-swizzled, so
// that threads writing different columns hit different banks.
__device__ int turned(int row, int depth) { return row ^ (depth % 8 * 4); }

// Fetches the gradients' columns from `first` on, for rows from `row` on.
__device__ void fetch_deltas(const XProduct& s, int row, int first, Tile& tile) {
#pragma unroll
  for (int i = thread(); i < kDepth * kTile; i += plain::kThreads) {
    const int depth = i % kDepth;
    const int r = i / kDepth;
    plain::copy_4(&tile[depth][turned(r, depth)], row + r < s.rows.header->rows
                                                      ? s.columns.at(row + r, first + depth)
                                                      : nullptr);
  }
}

// Fetches the weights of these columns, for features from `feature` on.
__device__ void fetch_weights(const XProduct& s, int feature, int first, Tile& tile) {
  const int f = feature + thread() % kTile;
#pragma unroll
  for (int i = thread(); i < kDepth * kTile; i += plain::kThreads) {
    const int depth = i / kTile;
    const auto [p, unit] = s.columns.place(first + depth);
    const bool is_there = f < s.inputs && unit < s.units && s.sees_x.has(p);
    const std::size_t row = static_cast<std::size_t>(s.sees_x.block(p)) * s.units + unit;
    plain::copy_4(&tile[depth][i % kTile], is_there ? s.weight_x + row * s.inputs + f : nullptr);
  }
}

// The i-th of eight positions of the thread at `place` of 16: four in each half.
__device__ int of_eight(int place, int i) { return i / 4 * kTile / 2 + 4 * place + i % 4; }

__device__ void put_four(float4 four, float* to) {
  to[0] = four.x;
  to[1] = four.y;
  to[2] = four.z;
  to[3] = four.w;
}

__device__ void add_product(const Tile& deltas, const Tile& weights, int row_place,
                            int feature_place, float (&sums)[8][8]) {
#pragma unroll
  for (int depth = 0; depth < kDepth; ++depth) {
    float a[8];
    float b[8];
#pragma unroll
    for (int i = 0; i < 8; i += 4) {
      const int row = turned(of_eight(row_place, i), depth);
      put_four(*reinterpret_cast<const float4*>(&deltas[depth][row]), a + i);
      const int feature = of_eight(feature_place, i);
      put_four(*reinterpret_cast<const float4*>(&weights[depth][feature]), b + i);
    }
#pragma unroll
    for (int i = 0; i < 8; ++i) {
#pragma unroll
      for (int j = 0; j < 8; ++j) sums[i][j] = fmaf(a[i], b[j], sums[i][j]);
    }
  }
}

__global__ void __launch_bounds__(plain::kThreads, 2) multiply_x(const XProduct s) {
  alignas(16) __shared__ Tile deltas[kStages];
  alignas(16) __shared__ Tile weights[kStages];
  const int first_row = static_cast<int>(blockIdx.x) * kTile;
  const int first_feature = static_cast<int>(blockIdx.y) * kTile;
  if (first_row >= s.rows.header->rows) return;
  // A warp covers 4 row places by 8 feature places.
  const int warp = thread() / 32;
  const int row_place = warp / 2 * 4 + thread() % 32 / 8;
  const int feature_place = warp % 2 * 8 + thread() % 8;
  float sums[8][8] = {};
  plain::pipeline<kStages>(
      s.columns.count() / kDepth,
      [&](int i, int stage) {
        fetch_deltas(s, first_row, i * kDepth, deltas[stage]);
        fetch_weights(s, first_feature, i * kDepth, weights[stage]);
      },
      [&](int, int stage) {
        add_product(deltas[stage], weights[stage], row_place, feature_place, sums);
      });

  // The row of dx for each row of the tile, in a pipeline stage that is free now.
  auto* source = reinterpret_cast<long*>(&deltas[0][0][0]);
  if (thread() < kTile) {
    const int row = first_row + thread();
    source[thread()] = row < s.rows.header->rows ? source_of(s.rows, row, s.reverse) : -1;
  }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const long row = source[of_eight(row_place, i)];
    if (row < 0) continue;
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      const int feature = first_feature + of_eight(feature_place, j);
      if (feature < s.inputs) s.dx[row * s.inputs + feature] += sums[i][j];
    }
  }
}

}  // namespace

void add_x_gradients(const Context& context, const RecurrentSpec& spec, const PlacedRows& rows,
                     const Deltas& deltas, const float* parameters, float* dx) {
  if (rows.capacity == 0) return;
  const XProduct product{.rows = rows,
                         .columns = DeltaColumns(spec, deltas),
                         .weight_x = parameters + spec.weight_x(),
                         .inputs = spec.inputs,
                         .units = spec.units,
                         .reverse = spec.reverse,
                         .sees_x = CellTerms(spec).x,
                         .dx = dx};
  const dim3 tiles(static_cast<unsigned>((rows.tape_rows() + kTile - 1) / kTile),
                   static_cast<unsigned>(divide_up(spec.inputs, kTile)));
  multiply_x<<<tiles, plain::kThreads, 0, context.stream>>>(product);
  check_launch("multiply_x");
}

}  // namespace rwa::cuda

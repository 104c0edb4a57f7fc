// src/backend/cuda/gradients.cu: sums over the rows of the tape. Rows are split into equal shares,
// whose number depends on the layer alone and whose size on the number of rows; a block sums one
// share of a tile of the result, and a second kernel sums the shares and adds them to the gradient.
#include "backend/cuda/gradients.h"

#include <algorithm>

#include "backend/cuda/cells.cuh"
#include "backend/cuda/gates.h"
#include "backend/cuda/plain_kernels.cuh"

namespace rwa::cuda {
namespace {

using plain::thread;

int divide_up(int a, int b) { return (a + b - 1) / b; }

// As many shares as make about `blocks` of `tiles`, but no more than `most`.
int shares_of(int tiles, int blocks, int most) { return std::clamp(blocks / tiles, 1, most); }

// How the rows are shared out: all shares have `size` but the last that has any.
struct Shares {
  __device__ Shares(int row_count, int shares, int unit)
      : rows(row_count), size(((row_count + shares - 1) / shares + unit - 1) / unit * unit) {}
  __device__ int used() const { return size == 0 ? 0 : (rows + size - 1) / size; }
  __device__ int begin(int share) const { return share * size; }
  __device__ int end(int share) const { return min(begin(share) + size, rows); }

  int rows, size;
};

constexpr int kLanes = 32;
constexpr int kWarps = 8;

// Adds up what the threads of each lane have, warp after warp; for blocks of kLanes x kWarps.
__device__ float sum_of_warps(float mine) {
  __shared__ float sums[kWarps][kLanes];
  sums[threadIdx.y][threadIdx.x] = mine;
  __syncthreads();
  float sum = 0.0f;
  for (int warp = 0; warp < kWarps; ++warp) sum += sums[warp][threadIdx.x];
  return sum;
}

// The step of a row of the tape.
__device__ int step_of(const PlacedRows& rows, int row) {
  int first = 0;
  int last = rows.header->steps - 1;
  while (first < last) {
    const int middle = (first + last + 1) / 2;
    if (rows.offset[middle] <= row) {
      first = middle;
    } else {
      last = middle - 1;
    }
  }
  return first;
}
// Which row of a [T,B,·] array a row of the tape is; -1 where it does not count.
__device__ long source_of(const PlacedRows& rows, int row) {
  const int t = step_of(rows, row);
  return plain::source_row(rows, t, row - rows.offset[t]);
}

// Weights of x, biases: with few features there is little to do but to read the gradients once. A
// thread has two neighbouring columns of them, and sums for some features; the feature after the
// last is 1, for the bias.
constexpr int kInputThreads = 128;
constexpr int kInputColumns = 2 * kInputThreads;
constexpr int kInputRows = 32;  // whose features are in shared memory at a time
constexpr int kInputBlocks = 1024;
constexpr int kMostInputShares = 512;

struct InputSums {
  PlacedRows rows;
  const float* x;
  Deltas deltas;
  int gates, inputs;  // pre-activations are gates, and one that sees x only where deltas have it
  int features;       // D + 1
  int shares;
  float* sums;  // [shares][features][columns]

  // Columns of the gates' gradients, then of the other's.
  __host__ __device__ int gate_columns() const { return deltas.padded_units * gates; }
  __host__ __device__ int columns() const {
    return gate_columns() + (deltas.inputs != nullptr ? deltas.padded_units : 0);
  }
};

template <int Features>
using FeatureTile = float[kInputRows][Features];

// Features of kInputRows rows, from `row` on.
template <int Features>
__device__ void load_features(const InputSums& s, int row, int end, int feature,
                              FeatureTile<Features>& tile) {
  __shared__ long source[kInputRows];
  __syncthreads();
  if (thread() < kInputRows) {
    source[thread()] = row + thread() < end ? source_of(s.rows, row + thread()) : -1;
  }
  __syncthreads();
  for (int i = thread(); i < kInputRows * Features; i += kInputThreads) {
    const int r = i / Features;
    const int d = feature + i % Features;
    float value = d == s.inputs ? 1.0f : 0.0f;
    if (d < s.inputs && source[r] >= 0) value = s.x[source[r] * s.inputs + d];
    tile[r][i % Features] = value;
  }
  __syncthreads();
}

template <int Features>
__global__ void __launch_bounds__(kInputThreads) sum_inputs(const InputSums s) {
  alignas(16) __shared__ FeatureTile<Features> tile;
  const int share = static_cast<int>(blockIdx.z);
  const Shares shares(s.rows.header->rows, s.shares, kInputRows);
  if (share >= shares.used()) return;
  const int end = shares.end(share);
  const int column = 2 * (static_cast<int>(blockIdx.x) * kInputThreads + thread());
  const int feature = static_cast<int>(blockIdx.y) * Features;
  const bool is_gate = column < s.gate_columns();
  const bool is_there = column < s.columns();
  const std::size_t stride = is_gate ? s.gate_columns() : s.deltas.padded_units;
  const float* from = is_gate ? s.deltas.gates + column
                              : s.deltas.inputs + (is_there ? column - s.gate_columns() : 0);
  float2 sums[Features] = {};
  for (int row = shares.begin(share); row < end; row += kInputRows) {
    load_features<Features>(s, row, end, feature, tile);
    // Rows come in octets, and so do shares.
    for (int octet = 0; is_there && octet < min(kInputRows, end - row); octet += kOctet) {
      float2 delta[kOctet];
#pragma unroll
      for (int r = 0; r < kOctet; ++r) {
        delta[r] = *reinterpret_cast<const float2*>(from + (row + octet + r) * stride);
      }
#pragma unroll
      for (int r = 0; r < kOctet; ++r) {
#pragma unroll
        for (int f = 0; f < Features; ++f) {
          sums[f].x = fmaf(delta[r].x, tile[octet + r][f], sums[f].x);
          sums[f].y = fmaf(delta[r].y, tile[octet + r][f], sums[f].y);
        }
      }
    }
  }
  for (int f = 0; is_there && f < min(Features, s.features - feature); ++f) {
    const std::size_t row = static_cast<std::size_t>(share) * s.features + feature + f;
    *reinterpret_cast<float2*>(s.sums + row * s.columns() + column) = sums[f];
  }
}

// Where a column of the gradients belongs.
struct Column {
  int preactivation, unit;
};
__device__ Column column_of(int column, int gate_columns, int gates) {
  if (column < gate_columns) return {column % gates, column / gates};
  return {gates, column - gate_columns};
}

__global__ void add_inputs(const InputSums s, int units, const PartsOfCell parts, float* weight_x,
                           float* bias) {
  const int column = static_cast<int>(blockIdx.y * kLanes + threadIdx.x);
  const int feature = static_cast<int>(blockIdx.x);
  const Shares shares(s.rows.header->rows, s.shares, kInputRows);
  float mine = 0.0f;
  for (int share = static_cast<int>(threadIdx.y); share < shares.used(); share += kWarps) {
    const std::size_t row = static_cast<std::size_t>(share) * s.features + feature;
    mine += s.sums[row * s.columns() + column];
  }
  const float sum = sum_of_warps(mine);
  const auto [p, unit] = column_of(column, s.gate_columns(), s.gates);
  if (threadIdx.y != 0 || unit >= units) return;
  const bool is_weight = feature < s.inputs;
  const PartBits& part = is_weight ? parts.x : parts.bias;
  if (!part.has(p)) return;
  const std::size_t row = static_cast<std::size_t>(part.block(p)) * units + unit;
  if (is_weight) {
    weight_x[row * s.inputs + feature] += sum;
  } else {
    bias[row] += sum;
  }
}

// Weights of h: tiles of 128 columns of the gates' gradients by 128 units, 16 rows at a time.
constexpr int kTile = 128;
constexpr int kTileRows = 16;
constexpr int kRecurrentStages = 3;
constexpr int kRecurrentBlocks = 264;  // two on each multiprocessor of an H200
constexpr int kMostRecurrentShares = 64;

struct RecurrentSums {
  const RowsHeader* header;
  const float* deltas;    // [rows][columns]
  const float* h_before;  // [rows][Hp]
  int columns, padded_units;
  int shares;
  float* sums;  // [shares][columns][Hp]
};

using RowTile = float[kTileRows][kTile];

// Rows `row` to `end`, columns from `first` on, of an array that is `width` wide.
__device__ void fetch_rows(RowTile& tile, const float* from, int row, int end, int first,
                           int width) {
#pragma unroll
  for (int i = 4 * thread(); i < kTileRows * kTile; i += 4 * plain::kThreads) {
    const int r = i / kTile;
    const int column = first + i % kTile;
    const bool is_there = row + r < end && column < width;
    plain::copy_16(&tile[r][i % kTile],
                   is_there ? from + static_cast<std::size_t>(row + r) * width + column : nullptr);
  }
}

// Eight of a row's columns, for a thread at `place` of 16: four in each half.
__device__ void take_eight(const float* row, int place, float (&eight)[8]) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const float4 four = *reinterpret_cast<const float4*>(row + half * kTile / 2 + 4 * place);
    eight[4 * half] = four.x;
    eight[4 * half + 1] = four.y;
    eight[4 * half + 2] = four.z;
    eight[4 * half + 3] = four.w;
  }
}
__device__ int column_of_eight(int place, int i) { return i / 4 * kTile / 2 + 4 * place + i % 4; }

__global__ void __launch_bounds__(plain::kThreads, 2) sum_recurrent(const RecurrentSums s) {
  alignas(16) __shared__ RowTile deltas[kRecurrentStages];
  alignas(16) __shared__ RowTile h[kRecurrentStages];
  const int share = static_cast<int>(blockIdx.z);
  const Shares shares(s.header->rows, s.shares, kTileRows);
  if (share >= shares.used()) return;
  const int begin = shares.begin(share);
  const int end = shares.end(share);
  const int first_column = static_cast<int>(blockIdx.y) * kTile;
  const int first_unit = static_cast<int>(blockIdx.x) * kTile;
  // A warp has 4 places of columns by 8 of units.
  const int warp = thread() / 32;
  const int column_place = warp / 2 * 4 + thread() % 32 / 8;
  const int unit_place = warp % 2 * 8 + thread() % 8;
  float sums[8][8] = {};
  const auto fetch = [&](int i, int stage) {
    const int row = begin + i * kTileRows;
    fetch_rows(deltas[stage], s.deltas, row, end, first_column, s.columns);
    fetch_rows(h[stage], s.h_before, row, end, first_unit, s.padded_units);
  };
  const auto use = [&](int, int stage) {
#pragma unroll
    for (int row = 0; row < kTileRows; ++row) {
      float a[8];
      float b[8];
      take_eight(deltas[stage][row], column_place, a);
      take_eight(h[stage][row], unit_place, b);
#pragma unroll
      for (int i = 0; i < 8; ++i) {
#pragma unroll
        for (int j = 0; j < 8; ++j) sums[i][j] = fmaf(a[i], b[j], sums[i][j]);
      }
    }
  };
  plain::pipeline<kRecurrentStages>((end - begin + kTileRows - 1) / kTileRows, fetch, use);

#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const int column = first_column + column_of_eight(column_place, i);
    if (column >= s.columns) continue;
    float* to = s.sums + (static_cast<std::size_t>(share) * s.columns + column) * s.padded_units;
#pragma unroll
    for (int j = 0; j < 8; j += 4) {
      const int unit = first_unit + column_of_eight(unit_place, j);
      if (unit >= s.padded_units) continue;
      *reinterpret_cast<float4*>(to + unit) = {sums[i][j], sums[i][j + 1], sums[i][j + 2],
                                               sums[i][j + 3]};
    }
  }
}

__global__ void add_recurrent(const RecurrentSums s, int gates, int units, const PartBits sees_h,
                              float* weight_h) {
  const int h = static_cast<int>(blockIdx.y) * plain::kThreads + thread();
  const auto [gate, unit] = column_of(static_cast<int>(blockIdx.x), s.columns, gates);
  if (!sees_h.has(gate) || unit >= units || h >= units) return;
  const std::size_t stride = static_cast<std::size_t>(s.columns) * s.padded_units;
  const float* from = s.sums + static_cast<std::size_t>(blockIdx.x) * s.padded_units + h;
  const int shares = Shares(s.header->rows, s.shares, kTileRows).used();
  float sum = 0.0f;
  for (int share = 0; share < shares; ++share) sum += from[share * stride];
  weight_h[(static_cast<std::size_t>(sees_h.block(gate)) * units + unit) * units + h] += sum;
}

// The gradient of x: 32 rows of the tape and 32 features to a block.
constexpr int kFeatureColumns = 32;
static_assert(kSlotPadding % plain::kTileRows == 0);

struct XProduct {
  PlacedRows rows;
  Deltas deltas;
  const float* weight_x;
  int gates, inputs, units;
  PartBits sees_x;
  float* dx;
};

// A tile of the gradients, 32 of them from `first` on, and of their weights.
__device__ void fetch_product(const XProduct& s, int row, int feature, int first, float* rows,
                              float* columns) {
  const int gate_columns = s.deltas.padded_units * s.gates;
  const bool is_gate = first < gate_columns;
  const float* from = is_gate ? s.deltas.gates + first : s.deltas.inputs + (first - gate_columns);
  const std::size_t stride = is_gate ? gate_columns : s.deltas.padded_units;
  plain::fetch_tile_in_fours<plain::kTileRows>(rows, [&](int r, int depth) -> const float* {
    return row + r < s.rows.header->rows ? from + (row + r) * stride + depth : nullptr;
  });
  plain::fetch_tile<kFeatureColumns>(columns, [&](int c, int depth) -> const float* {
    const auto [p, unit] = column_of(first + depth, gate_columns, s.gates);
    if (!s.sees_x.has(p) || unit >= s.units || feature + c >= s.inputs) return nullptr;
    const std::size_t row = static_cast<std::size_t>(s.sees_x.block(p)) * s.units + unit;
    return s.weight_x + row * s.inputs + feature + c;
  });
}

__global__ void __launch_bounds__(plain::kThreads, 2) multiply_x(const XProduct s) {
  constexpr int kStage = plain::stage_size(kFeatureColumns);
  alignas(16) __shared__ float shared[plain::shared_size(kFeatureColumns, kFeatureColumns)];
  __shared__ long source[plain::kTileRows];
  const int row = static_cast<int>(blockIdx.x) * plain::kTileRows;
  const int feature = static_cast<int>(blockIdx.y) * kFeatureColumns;
  if (row >= s.rows.header->rows) return;
  if (thread() < plain::kTileRows) {
    source[thread()] =
        row + thread() < s.rows.header->rows ? source_of(s.rows, row + thread()) : -1;
  }
  const int depth = s.deltas.padded_units * (s.gates + (s.deltas.inputs != nullptr ? 1 : 0));
  plain::Sums<kFeatureColumns> sums;
  plain::pipeline<plain::kStages>(
      depth / plain::kTileDepth,
      [&](int i, int stage) {
        float* rows = shared + stage * kStage;
        fetch_product(s, row, feature, i * plain::kTileDepth, rows,
                      rows + plain::kTileRows * plain::kTileStride);
      },
      [&](int, int stage) {
        const float* rows = shared + stage * kStage;
        sums.add(rows, rows + plain::kTileRows * plain::kTileStride);
      });
  sums.leave(shared, 0, kFeatureColumns);
  __syncthreads();
  for (int i = thread(); i < plain::kTileRows * kFeatureColumns; i += plain::kThreads) {
    const int r = i / kFeatureColumns;
    const int d = feature + i % kFeatureColumns;
    if (d >= s.inputs || source[r] < 0) continue;
    s.dx[source[r] * s.inputs + d] +=
        plain::take_sum(shared, r, i % kFeatureColumns, kFeatureColumns);
  }
}

template <class Activation>
__global__ void sum_start(const RowsHeader* header, int units, const float* dh_0, int padded_units,
                          const float* start, float* gradient) {
  const int unit = static_cast<int>(blockIdx.x * kLanes + threadIdx.x);
  float mine = 0.0f;
  for (int slot = static_cast<int>(threadIdx.y); slot < header->batch; slot += kWarps) {
    mine += dh_0[static_cast<std::size_t>(slot) * padded_units + unit];
  }
  const float sum = sum_of_warps(mine);
  if (threadIdx.y != 0 || unit >= units) return;
  gradient[unit] += sum * Activation::slope(Activation::apply(start[unit]));
}

dim3 grid(int x, int y, int z = 1) {
  return {static_cast<unsigned>(x), static_cast<unsigned>(y), static_cast<unsigned>(z)};
}

std::size_t bytes_of(int a, int b, int c) {
  return sizeof(float) * static_cast<std::size_t>(a) * static_cast<std::size_t>(b) *
         static_cast<std::size_t>(c);
}

// The features that a thread has sums for.
constexpr int kFewFeatures = 8;
constexpr int kManyFeatures = 32;

}  // namespace

void add_input_gradients(const Context& context, const RecurrentSpec& spec, const PlacedRows& rows,
                         const float* x, const Deltas& deltas, DeviceMemory& scratch,
                         float* parameters) {
  InputSums sums{.rows = rows,
                 .x = x,
                 .deltas = deltas,
                 .gates = device_gates(spec),
                 .inputs = spec.inputs,
                 .features = spec.inputs + 1,
                 .shares = 1,
                 .sums = nullptr};
  const bool is_few = sums.features <= kFewFeatures;
  const int column_tiles = divide_up(sums.columns(), kInputColumns);
  const int feature_tiles = divide_up(sums.features, is_few ? kFewFeatures : kManyFeatures);
  sums.shares = shares_of(column_tiles * feature_tiles, kInputBlocks, kMostInputShares);
  scratch.reserve(bytes_of(sums.shares, sums.features, sums.columns()));
  sums.sums = scratch.as<float>();
  const auto sum = is_few ? sum_inputs<kFewFeatures> : sum_inputs<kManyFeatures>;
  sum<<<grid(column_tiles, feature_tiles, sums.shares), kInputThreads, 0, context.stream>>>(sums);
  check_launch("sum_inputs");
  add_inputs<<<grid(sums.features, sums.columns() / kLanes), dim3(kLanes, kWarps), 0,
               context.stream>>>(sums, spec.units, PartsOfCell(spec),
                                 parameters + spec.weight_x(), parameters + spec.bias());
  check_launch("add_inputs");
}

void add_recurrent_gradients(const Context& context, const RecurrentSpec& spec,
                             const PlacedRows& rows, const float* h_before, const Deltas& deltas,
                             DeviceMemory& scratch, float* parameters) {
  const int gates = device_gates(spec);
  RecurrentSums sums{.header = rows.header,
                     .deltas = deltas.gates,
                     .h_before = h_before,
                     .columns = deltas.padded_units * gates,
                     .padded_units = deltas.padded_units,
                     .shares = 1,
                     .sums = nullptr};
  const int column_tiles = divide_up(sums.columns, kTile);
  const int unit_tiles = divide_up(sums.padded_units, kTile);
  sums.shares = shares_of(column_tiles * unit_tiles, kRecurrentBlocks, kMostRecurrentShares);
  scratch.reserve(bytes_of(sums.shares, sums.columns, sums.padded_units));
  sums.sums = scratch.as<float>();
  sum_recurrent<<<grid(unit_tiles, column_tiles, sums.shares), plain::kThreads, 0,
                  context.stream>>>(sums);
  check_launch("sum_recurrent");
  add_recurrent<<<grid(sums.columns, divide_up(spec.units, plain::kThreads)), plain::kThreads, 0,
                  context.stream>>>(sums, gates, spec.units, PartsOfCell(spec).h,
                                    parameters + spec.weight_h());
  check_launch("add_recurrent");
}

void add_x_gradients(const Context& context, const RecurrentSpec& spec, const PlacedRows& rows,
                     const Deltas& deltas, const float* parameters, float* dx) {
  if (rows.capacity == 0) return;
  const XProduct product{.rows = rows,
                         .deltas = deltas,
                         .weight_x = parameters + spec.weight_x(),
                         .gates = device_gates(spec),
                         .inputs = spec.inputs,
                         .units = spec.units,
                         .sees_x = PartsOfCell(spec).x,
                         .dx = dx};
  const int row_tiles = static_cast<int>(rows.tape_rows() / plain::kTileRows);
  multiply_x<<<grid(row_tiles, divide_up(spec.inputs, kFeatureColumns)), plain::kThreads, 0,
               context.stream>>>(product);
  check_launch("multiply_x");
}

void add_start_gradients(const Context& context, const RecurrentSpec& spec, const PlacedRows& rows,
                         const float* dh_0, int padded_units, const float* parameters,
                         float* gradient) {
  if (!spec.traits().learned_start) return;
  const int blocks = padded_units / kLanes;
  cells::visit_cell(spec.cell, spec.activation, [&]<class C>() {
    sum_start<typename C::Activation><<<grid(blocks, 1), dim3(kLanes, kWarps), 0, context.stream>>>(
        rows.header, spec.units, dh_0, padded_units, parameters + spec.start(),
        gradient + spec.start());
  });
  check_launch("sum_start");
}

}  // namespace rwa::cuda

// src/backend/cuda/gradients.cu: sums over tape rows. The rows are divided into equal shares; their
// number depends only on the layer, their size on the number of rows. A block sums one share for
// one tile of the result; a second kernel sums the shares and adds them to the gradient.
#include <algorithm>

#include "backend/cuda/cells.cuh"
#include "backend/cuda/plain_kernels.cuh"
#include "backend/cuda/sums.cuh"
#include "backend/cuda/tape.cuh"

namespace rwa::cuda {
namespace {

using plain::thread;

// weight_x and bias with few features: the time goes into reading the gradients, once. A thread has
// two neighbouring columns of the gradients and sums for several features. The feature after the
// last is 1, for the bias.
constexpr int kInputThreads = 128;
constexpr int kInputColumns = 2 * kInputThreads;
constexpr int kInputRows = 32;  // with features in shared memory at a time
constexpr int kInputBlocks = 1024;
constexpr int kMostInputShares = 512;

struct InputSums {
  PlacedRows rows;
  bool reverse;
  const float* x;
  DeltaColumns columns;
  int inputs;
  int features;  // D + 1
  int shares;
  float* sums;  // [shares][features][columns]
};

template <int Features>
using FeatureTile = float[kInputRows][Features];

// Loads the features of kInputRows rows from `row` on.
template <int Features>
__device__ void load_features(const InputSums& s, int row, int end, int feature,
                              FeatureTile<Features>& tile) {
  __shared__ long source[kInputRows];
  __syncthreads();
  if (thread() < kInputRows) {
    source[thread()] = row + thread() < end ? source_of(s.rows, row + thread(), s.reverse) : -1;
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
  const bool is_there = column < s.columns.count();
  const float* from = is_there ? s.columns.at(0, column) : nullptr;
  const std::size_t stride = is_there ? s.columns.at(1, column) - from : 0;
  float2 sums[Features] = {};
  for (int row = shares.begin(share); row < end; row += kInputRows) {
    load_features<Features>(s, row, end, feature, tile);
    // Rows, and so shares, come in octets.
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
    *reinterpret_cast<float2*>(s.sums + row * s.columns.count() + column) = sums[f];
  }
}

__global__ void add_inputs(const InputSums s, int units, const CellTerms parts, float* weight_x,
                           float* bias) {
  const int column = static_cast<int>(blockIdx.y * kLanes + threadIdx.x);
  const int feature = static_cast<int>(blockIdx.x);
  const Shares shares(s.rows.header->rows, s.shares, kInputRows);
  float mine = 0.0f;
  for (int share = static_cast<int>(threadIdx.y); share < shares.used(); share += kWarps) {
    const std::size_t row = static_cast<std::size_t>(share) * s.features + feature;
    mine += s.sums[row * s.columns.count() + column];
  }
  const float sum = sum_of_warps(mine);
  const auto [p, unit] = s.columns.place(column);
  if (threadIdx.y != 0 || unit >= units) return;
  const bool is_weight = feature < s.inputs;
  const TermBits& part = is_weight ? parts.x : parts.bias;
  if (!part.has(p)) return;
  const std::size_t row = static_cast<std::size_t>(part.block(p)) * units + unit;
  if (is_weight) {
    weight_x[row * s.inputs + feature] += sum;
  } else {
    bias[row] += sum;
  }
}

// weight_h, and weight_x with many features: tiles of 128 columns of the gradients by 128 columns
// of what the steps read, 16 rows at a time.
constexpr int kTile = 128;
constexpr int kTileRows = 16;
constexpr int kProductStages = 3;
constexpr int kProductBlocks = 264;  // two per multiprocessor of an H200
constexpr int kMostProductShares = 64;

struct Products {
  const RowsHeader* header;
  DeltaColumns columns;
  int width;  // of what a step read; a multiple of 4
  int shares;
  float* sums;  // [shares][columns][width]
};

using RowTile = float[kTileRows][kTile];

// Fetches rows `row` to `end` and columns from `first` on, of an array `width` wide. address(row,
// column) returns the address of four columns.
template <class Address>
__device__ void fetch_fours(RowTile& tile, int row, int end, int first, int width,
                            const Address& address) {
#pragma unroll
  for (int i = 4 * thread(); i < kTileRows * kTile; i += 4 * plain::kThreads) {
    const int r = i / kTile;
    const int column = first + i % kTile;
    const bool is_there = row + r < end && column < width;
    plain::copy_16(&tile[r][i % kTile], is_there ? address(row + r, column) : nullptr);
  }
}

// What a step read: h of the step before.
struct SeenH {
  const float* h;  // [rows][Hp]
  int padded_units;

  __device__ void fetch(RowTile& tile, int row, int end, int first) const {
    fetch_fours(tile, row, end, first, padded_units, [&](int r, int column) {
      return h + static_cast<std::size_t>(r) * padded_units + column;
    });
  }
};
// What a step read: its features, then a 1 for the bias.
struct SeenX {
  const std::int32_t* source;  // [rows]: row of x; -1 for padding
  const float* x;
  int inputs;

  __device__ void fetch(RowTile& tile, int row, int end, int first) const {
    const int feature = first + thread() % kTile;
#pragma unroll
    for (int i = thread(); i < kTileRows * kTile; i += plain::kThreads) {
      const int r = row + i / kTile;
      float* to = &tile[i / kTile][i % kTile];
      if (feature == inputs) {
        *to = 1.0f;
        continue;
      }
      const std::int32_t from = r < end && feature < inputs ? source[r] : -1;
      plain::copy_4(to, from < 0 ? nullptr : x + static_cast<std::size_t>(from) * inputs + feature);
    }
  }
};
static_assert(plain::kThreads % kTile == 0);

// Loads eight columns of a row for the thread at `place` of 16: four in each half.
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

template <class Seen>
__global__ void __launch_bounds__(plain::kThreads, 2)
    sum_products(const Products s, const Seen seen) {
  alignas(16) __shared__ RowTile deltas[kProductStages];
  alignas(16) __shared__ RowTile numbers[kProductStages];
  const int share = static_cast<int>(blockIdx.z);
  const Shares shares(s.header->rows, s.shares, kTileRows);
  if (share >= shares.used()) return;
  const int begin = shares.begin(share);
  const int end = shares.end(share);
  const int first_column = static_cast<int>(blockIdx.y) * kTile;
  const int first_number = static_cast<int>(blockIdx.x) * kTile;
  // A warp covers 4 column places by 8 number places.
  const int warp = thread() / 32;
  const int column_place = warp / 2 * 4 + thread() % 32 / 8;
  const int number_place = warp % 2 * 8 + thread() % 8;
  float sums[8][8] = {};
  const auto fetch = [&](int i, int stage) {
    const int row = begin + i * kTileRows;
    fetch_fours(deltas[stage], row, end, first_column, s.columns.count(),
                [&](int r, int column) { return s.columns.at(r, column); });
    seen.fetch(numbers[stage], row, end, first_number);
  };
  const auto use = [&](int, int stage) {
#pragma unroll
    for (int row = 0; row < kTileRows; ++row) {
      float a[8];
      float b[8];
      take_eight(deltas[stage][row], column_place, a);
      take_eight(numbers[stage][row], number_place, b);
#pragma unroll
      for (int i = 0; i < 8; ++i) {
#pragma unroll
        for (int j = 0; j < 8; ++j) sums[i][j] = fmaf(a[i], b[j], sums[i][j]);
      }
    }
  };
  plain::pipeline<kProductStages>((end - begin + kTileRows - 1) / kTileRows, fetch, use);

#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const int column = first_column + column_of_eight(column_place, i);
    if (column >= s.columns.count()) continue;
    float* to = s.sums + (static_cast<std::size_t>(share) * s.columns.count() + column) * s.width;
#pragma unroll
    for (int j = 0; j < 8; j += 4) {
      const int number = first_number + column_of_eight(number_place, j);
      if (number >= s.width) continue;
      *reinterpret_cast<float4*>(to + number) = {sums[i][j], sums[i][j + 1], sums[i][j + 2],
                                                 sums[i][j + 3]};
    }
  }
}

// Where the sums go: a block of weights, [pre-activations with this term, H, seen], and the biases
// if the sums have them in the column after the last.
struct ProductGradients {
  int units, seen;
  TermBits sees;
  float* weight;
  TermBits has_bias;
  float* bias;
};

__global__ void add_products(const Products s, const ProductGradients out) {
  const int number = static_cast<int>(blockIdx.y) * plain::kThreads + thread();
  const auto [p, unit] = s.columns.place(static_cast<int>(blockIdx.x));
  const bool is_weight = number < out.seen;
  const TermBits part = is_weight ? out.sees : out.has_bias;
  if (number > out.seen || unit >= out.units || !part.has(p)) return;
  const std::size_t stride = static_cast<std::size_t>(s.columns.count()) * s.width;
  const float* from = s.sums + static_cast<std::size_t>(blockIdx.x) * s.width + number;
  const int shares = Shares(s.header->rows, s.shares, kTileRows).used();
  float sum = 0.0f;
  for (int share = 0; share < shares; ++share) sum += from[share * stride];
  const std::size_t row = static_cast<std::size_t>(part.block(p)) * out.units + unit;
  (is_weight ? out.weight[row * out.seen + number] : out.bias[row]) += sum;
}

__global__ void find_sources(const PlacedRows rows, bool reverse, std::int32_t* source) {
  const int row = static_cast<int>(blockIdx.x) * plain::kThreads + thread();
  if (row >= rows.header->rows) return;
  source[row] = static_cast<std::int32_t>(source_of(rows, row, reverse));
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

template <class Seen>
void add_product_gradients(const Context& context, const Products& sums, const Seen& seen,
                           const ProductGradients& out) {
  const int column_tiles = divide_up(sums.columns.count(), kTile);
  sum_products<<<grid(divide_up(sums.width, kTile), column_tiles, sums.shares), plain::kThreads, 0,
                 context.stream>>>(sums, seen);
  check_launch("sum_products");
  add_products<<<grid(sums.columns.count(), divide_up(out.seen + 1, plain::kThreads)),
                 plain::kThreads, 0, context.stream>>>(sums, out);
  check_launch("add_products");
}

// Leaves `sums` null.
Products products(const PlacedRows& rows, const DeltaColumns& columns, int width) {
  const int tiles = divide_up(columns.count(), kTile) * divide_up(width, kTile);
  return {.header = rows.header,
          .columns = columns,
          .width = width,
          .shares = shares_of(tiles, kProductBlocks, kMostProductShares),
          .sums = nullptr};
}
std::size_t sums_bytes(const Products& sums) {
  return bytes_of(sums.shares, sums.columns.count(), sums.width);
}

// Features per thread. More than kMostFeatures take the product kernel.
constexpr int kFewFeatures = 8;
constexpr int kManyFeatures = 32;
constexpr int kMostFeatures = 64;

void add_wide_input_gradients(const Context& context, const RecurrentSpec& spec,
                              const PlacedRows& rows, const float* x, const DeltaColumns& columns,
                              DeviceMemory& scratch, float* parameters) {
  Products sums = products(rows, columns, divide_up(spec.inputs + 1, 4) * 4);
  scratch.reserve(sums_bytes(sums) +
                  static_cast<std::size_t>(rows.tape_rows()) * sizeof(std::int32_t));
  sums.sums = scratch.as<float>();
  auto* source = reinterpret_cast<std::int32_t*>(scratch.as<std::byte>() + sums_bytes(sums));
  const int row_blocks = divide_up(static_cast<int>(rows.tape_rows()), plain::kThreads);
  find_sources<<<grid(row_blocks, 1), plain::kThreads, 0, context.stream>>>(rows, spec.reverse,
                                                                            source);
  check_launch("find_sources");
  const CellTerms parts(spec);
  add_product_gradients(context, sums, SeenX{.source = source, .x = x, .inputs = spec.inputs},
                        {.units = spec.units,
                         .seen = spec.inputs,
                         .sees = parts.x,
                         .weight = parameters + spec.weight_x(),
                         .has_bias = parts.bias,
                         .bias = parameters + spec.bias()});
}

}  // namespace

void add_input_gradients(const Context& context, const RecurrentSpec& spec, const PlacedRows& rows,
                         const float* x, const Deltas& deltas, DeviceMemory& scratch,
                         float* parameters) {
  if (rows.capacity == 0) return;
  const DeltaColumns columns(spec, deltas);
  const int features = spec.inputs + 1;
  if (features > kMostFeatures) {
    add_wide_input_gradients(context, spec, rows, x, columns, scratch, parameters);
    return;
  }
  const bool is_few = features <= kFewFeatures;
  const int column_tiles = divide_up(columns.count(), kInputColumns);
  const int feature_tiles = divide_up(features, is_few ? kFewFeatures : kManyFeatures);
  const int shares = shares_of(column_tiles * feature_tiles, kInputBlocks, kMostInputShares);
  scratch.reserve(bytes_of(shares, features, columns.count()));
  const InputSums sums{.rows = rows,
                       .reverse = spec.reverse,
                       .x = x,
                       .columns = columns,
                       .inputs = spec.inputs,
                       .features = features,
                       .shares = shares,
                       .sums = scratch.as<float>()};
  const auto sum = is_few ? sum_inputs<kFewFeatures> : sum_inputs<kManyFeatures>;
  sum<<<grid(column_tiles, feature_tiles, shares), kInputThreads, 0, context.stream>>>(sums);
  check_launch("sum_inputs");
  add_inputs<<<grid(features, columns.count() / kLanes), dim3(kLanes, kWarps), 0,
               context.stream>>>(sums, spec.units, CellTerms(spec),
                                 parameters + spec.weight_x(), parameters + spec.bias());
  check_launch("add_inputs");
}

void add_recurrent_gradients(const Context& context, const RecurrentSpec& spec,
                             const PlacedRows& rows, const float* h_before, const Deltas& deltas,
                             DeviceMemory& scratch, float* parameters) {
  const Deltas of_gates{.padded_units = deltas.padded_units, .gates = deltas.gates};
  Products sums = products(rows, DeltaColumns(spec, of_gates), deltas.padded_units);
  scratch.reserve(sums_bytes(sums));
  sums.sums = scratch.as<float>();
  add_product_gradients(context, sums,
                        SeenH{.h = h_before, .padded_units = deltas.padded_units},
                        {.units = spec.units,
                         .seen = spec.units,
                         .sees = CellTerms(spec).h,
                         .weight = parameters + spec.weight_h(),
                         .has_bias = {},
                         .bias = nullptr});
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

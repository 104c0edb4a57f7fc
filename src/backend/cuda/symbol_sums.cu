// src/backend/cuda/symbol_sums.cu: a warp owns 32 symbols, 32 columns and a share of the rows. It
// scans the symbols of 32 rows at a time and takes its own one by one; each lane adds its column to
// the sum of that symbol. So no two threads add to the same sum. Many symbols make many warps; with
// few symbols, the shares do.
#include <algorithm>

#include "backend/cuda/sums.cuh"
#include "backend/cuda/symbol_sums.h"

namespace rwa::cuda {
namespace {

constexpr int kRange = 32;     // symbols per warp
constexpr int kScanned = 4;    // times 32 rows: loads of symbols in flight
constexpr int kAtOnce = 8;     // rows: loads of values in flight
constexpr int kWanted = 4096;  // warps: about one full wave on an H200
constexpr int kMostShares = 1024;
constexpr std::size_t kAlignment = 256;

struct Job {
  SymbolRows rows;
  SummedColumns columns;
  int symbols, ranges, tiles, shares;
  float* sums;  // [shares][symbols][width]
};

using RangeSums = float[kRange][kLanes];

// A lane's column.
struct Column {
  __device__ Column(const SummedColumns& columns, int column)
      : is_there(column < columns.width()),
        from(column < columns.first_width ? columns.first + column
                                          : columns.second + (column - columns.first_width)),
        stride(column < columns.first_width ? columns.first_width : columns.second_width) {}
  __device__ float operator[](int row) const {
    return is_there ? from[static_cast<std::size_t>(row) * stride] : 0.0f;
  }

  bool is_there;
  const float* from;
  int stride;
};

// Adds the rows of the lanes in `hits` to the sums of their symbols. Symbols count from the first
// of the range.
__device__ void add_hits(unsigned hits, int symbol, int row, const Column& column,
                         RangeSums& sums) {
  const int lane = static_cast<int>(threadIdx.x);
  while (hits != 0) {
    int to[kAtOnce];
    float number[kAtOnce];
#pragma unroll
    for (int i = 0; i < kAtOnce; ++i) {
      const bool is_hit = hits != 0;
      const int which = is_hit ? __ffs(static_cast<int>(hits)) - 1 : 0;
      hits &= hits - 1;
      const int source = __shfl_sync(kAllLanes, row, which);
      to[i] = __shfl_sync(kAllLanes, symbol, which);
      if (!is_hit) to[i] = -1;
      number[i] = is_hit ? column[source] : 0.0f;
    }
#pragma unroll
    for (int i = 0; i < kAtOnce; ++i) {
      if (to[i] >= 0) sums[to[i]][lane] += number[i];
    }
  }
}

__global__ void __launch_bounds__(kLanes* kWarps) sum_shares(const Job s) {
  __shared__ RangeSums all[kWarps];
  RangeSums& sums = all[threadIdx.y];
  const int lane = static_cast<int>(threadIdx.x);
  const int task = static_cast<int>(blockIdx.x * kWarps + threadIdx.y);
  const int first = task % s.ranges * kRange;
  const int tile = task / s.ranges % s.tiles * kLanes;
  const int share = task / s.ranges / s.tiles;
  const Shares shares(*s.rows.count, s.shares, kLanes);
  // The first share exists even without rows.
  if (share >= max(shares.used(), 1)) return;
  const Column column(s.columns, tile + lane);
  for (int symbol = 0; symbol < kRange; ++symbol) sums[symbol][lane] = 0.0f;

  const int end = shares.end(share);
  for (int begin = shares.begin(share); begin < end; begin += kScanned * kLanes) {
    int symbol[kScanned];
#pragma unroll
    for (int i = 0; i < kScanned; ++i) {
      const int row = begin + i * kLanes + lane;
      symbol[i] = row < end ? s.rows.symbol[row] - first : -1;
    }
#pragma unroll
    for (int i = 0; i < kScanned; ++i) {
      const bool is_hit = symbol[i] >= 0 && symbol[i] < kRange;
      const unsigned hits = __ballot_sync(kAllLanes, is_hit);
      if (hits == 0) continue;
      const int row = is_hit ? s.rows.row[begin + i * kLanes + lane] : 0;
      add_hits(hits, symbol[i], row, column, sums);
    }
  }

  const std::size_t width = s.columns.width();
  float* to = s.sums + (static_cast<std::size_t>(share) * s.symbols + first) * width + tile + lane;
  for (int symbol = 0; column.is_there && symbol < min(kRange, s.symbols - first); ++symbol) {
    to[symbol * width] = sums[symbol][lane];
  }
}

// Adds all shares into the first.
__global__ void __launch_bounds__(kLanes* kWarps) add_shares(const Job s, std::size_t size) {
  const std::size_t at = static_cast<std::size_t>(blockIdx.x) * kLanes + threadIdx.x;
  const int used = max(Shares(*s.rows.count, s.shares, kLanes).used(), 1);
  float mine = 0.0f;
  for (int share = static_cast<int>(threadIdx.y); at < size && share < used; share += kWarps) {
    mine += s.sums[share * size + at];
  }
  const float sum = sum_of_warps(mine);
  if (threadIdx.y == 0 && at < size) s.sums[at] = sum;
}

int ranges_of(int symbols) { return divide_up(symbols, kRange); }
int tiles_of(const SummedColumns& columns) { return divide_up(columns.width(), kLanes); }

std::size_t aligned(std::size_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

}  // namespace

SymbolSums::SymbolSums(int symbols, const SummedColumns& columns, std::size_t most_rows,
                       DeviceMemory& scratch)
    : symbols_(symbols),
      columns_(columns),
      shares_(shares_of(ranges_of(symbols) * tiles_of(columns), kWanted, kMostShares)) {
  const std::size_t rows = aligned(most_rows * sizeof(std::int32_t));
  const std::size_t sums = sizeof(float) * static_cast<std::size_t>(shares_) *
                           static_cast<std::size_t>(symbols) *
                           static_cast<std::size_t>(columns.width());
  scratch.reserve(kAlignment + 2 * rows + sums);
  auto* bytes = scratch.as<std::byte>();
  rows_ = {.count = reinterpret_cast<std::int32_t*>(bytes),
           .symbol = reinterpret_cast<std::int32_t*>(bytes + kAlignment),
           .row = reinterpret_cast<std::int32_t*>(bytes + kAlignment + rows)};
  sums_ = reinterpret_cast<float*>(bytes + kAlignment + 2 * rows);
}

const float* SymbolSums::add_up(const Context& context) const {
  const Job job{.rows = rows_,
                .columns = columns_,
                .symbols = symbols_,
                .ranges = ranges_of(symbols_),
                .tiles = tiles_of(columns_),
                .shares = shares_,
                .sums = sums_};
  const dim3 threads(kLanes, kWarps);
  const int tasks = job.ranges * job.tiles * job.shares;
  sum_shares<<<static_cast<unsigned>(divide_up(tasks, kWarps)), threads, 0, context.stream>>>(job);
  check_launch("sum_shares");
  if (job.shares == 1) return sums_;
  const std::size_t size =
      static_cast<std::size_t>(symbols_) * static_cast<std::size_t>(columns_.width());
  const auto blocks = static_cast<unsigned>((size + kLanes - 1) / kLanes);
  add_shares<<<blocks, threads, 0, context.stream>>>(job, size);
  check_launch("add_shares");
  return sums_;
}

}  // namespace rwa::cuda

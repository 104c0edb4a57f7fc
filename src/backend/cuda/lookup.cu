// src/backend/cuda/lookup.cu: forward, a warp copies one row; backward, rows are summed by symbol,
// and by sequence for the base, in the order of the steps.
#include "backend/cuda/operations.h"
#include "backend/cuda/rows.h"
#include "backend/cuda/sums.cuh"
#include "backend/cuda/symbol_sums.h"

namespace rwa::cuda {
namespace {

constexpr int kThreads = kLanes * kWarps;

// The table row for a row of the batch.
__device__ int symbol_at(const Symbols& symbols, int row, int batch) {
  if (!symbols.of_step_before) return symbols.of[row];
  return row < batch ? 0 : symbols.of[row - batch] + 1;
}

__device__ const float* row_at(const float* numbers, int row, int width) {
  return numbers + static_cast<std::size_t>(row) * width;
}

__global__ void __launch_bounds__(kThreads)
    lookup_kernel(const CountedRows rows, const Symbols symbols, int width, const float* table,
                  const float* base, float* out) {
  const int i = static_cast<int>(blockIdx.x * kWarps + threadIdx.y);
  const int row = i < rows.size() ? rows[i] : -1;
  if (row < 0) return;
  const float* from = row_at(table, symbol_at(symbols, row, rows.batch()), width);
  const float* plus = base == nullptr ? nullptr : row_at(base, row % rows.batch(), width);
  float* to = out + static_cast<std::size_t>(row) * width;
  for (int c = static_cast<int>(threadIdx.x); c < width; c += kLanes) {
    to[c] = plus == nullptr ? from[c] : from[c] + plus[c];
  }
}

__global__ void __launch_bounds__(kThreads)
    find_symbols(const CountedRows rows, const Symbols symbols, const SymbolRows out) {
  const int i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  if (i == 0) *out.count = rows.size();
  if (i >= rows.size()) return;
  const int row = rows[i];
  out.symbol[i] = row < 0 ? -1 : symbol_at(symbols, row, rows.batch());
  out.row[i] = row;
}

// One block per sequence and 32 columns.
__global__ void __launch_bounds__(kThreads)
    sum_steps(const CountedRows rows, int width, const float* dout, float* dbase) {
  const int slot = static_cast<int>(blockIdx.x);
  const int sequence = rows.sequence(slot);
  const int length = rows.length(slot);
  const int column = static_cast<int>(blockIdx.y * kLanes + threadIdx.x);
  float mine = 0.0f;
#pragma unroll 4
  for (int t = static_cast<int>(threadIdx.y); column < width && t < length; t += kWarps) {
    mine += row_at(dout, t * rows.batch() + sequence, width)[column];
  }
  const float sum = sum_of_warps(mine);
  if (threadIdx.y != 0 || column >= width) return;
  dbase[static_cast<std::size_t>(sequence) * width + column] = sum;
}

}  // namespace

void lookup(const Context& context, const TableSpec& spec, const Rows& rows, const Symbols& symbols,
            const float* table, const float* base, float* out) {
  if (row_count(rows) == 0) return;
  const auto blocks = static_cast<unsigned>(divide_up(row_count(rows), kWarps));
  lookup_kernel<<<blocks, dim3(kLanes, kWarps), 0, context.stream>>>(
      CountedRows(rows), symbols, spec.width, table, base, out);
  check_launch("the table lookup");
}

void lookup_backward(const Context& context, const TableSpec& spec, const Rows& rows,
                     const Symbols& symbols, const float* dout, DeviceMemory& scratch,
                     float* dtable, float* dbase) {
  const int most = row_count(rows);
  if (most > 0) {
    const SymbolSums sums(spec.symbols, {dout, spec.width}, static_cast<std::size_t>(most),
                          scratch);
    const auto blocks = static_cast<unsigned>(divide_up(most, kThreads));
    find_symbols<<<blocks, kThreads, 0, context.stream>>>(CountedRows(rows), symbols, sums.rows());
    check_launch("the symbols of a batch");
    add(context, spec.parameters(), sums.add_up(context), dtable);
  }
  if (dbase == nullptr) return;
  const dim3 blocks(static_cast<unsigned>(rows.batch),
                    static_cast<unsigned>(divide_up(spec.width, kLanes)));
  sum_steps<<<blocks, dim3(kLanes, kWarps), 0, context.stream>>>(CountedRows(rows), spec.width,
                                                                 dout, dbase);
  check_launch("the gradient of a table's base");
}

}  // namespace rwa::cuda

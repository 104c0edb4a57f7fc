// src/backend/cuda/symbol_gradients.cu: in a layer that reads symbols, a step's gradients go to its
// symbol's column of weight_x. So they are summed by symbol; the sums over all symbols are the
// gradients of the biases.
#include "backend/cuda/sums.cuh"
#include "backend/cuda/symbol_sums.h"
#include "backend/cuda/tape.cuh"

namespace rwa::cuda {
namespace {

constexpr int kThreads = kLanes * kWarps;

__global__ void __launch_bounds__(kThreads)
    find_symbols(const PlacedRows rows, bool reverse, const std::int32_t* symbols,
                 const SymbolRows out) {
  const int row = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  if (row == 0) *out.count = rows.header->rows;
  if (row >= rows.header->rows) return;
  const long source = source_of(rows, row, reverse);
  out.symbol[row] = source < 0 ? -1 : symbols[source];
  out.row[row] = row;
}

// sums: [symbols][columns].
__global__ void __launch_bounds__(kThreads)
    add_weights(const DeltaColumns columns, int symbols, int units, const TermBits sees_x,
                const float* sums, float* weight_x) {
  const int symbol = static_cast<int>(blockIdx.y * kThreads + threadIdx.x);
  const int column = static_cast<int>(blockIdx.x);
  const auto [p, unit] = columns.place(column);
  if (symbol >= symbols || unit >= units || !sees_x.has(p)) return;
  const std::size_t row = static_cast<std::size_t>(sees_x.block(p)) * units + unit;
  weight_x[row * symbols + symbol] +=
      sums[static_cast<std::size_t>(symbol) * columns.count() + column];
}

__global__ void __launch_bounds__(kThreads)
    add_biases(const DeltaColumns columns, int symbols, int units, const TermBits has_bias,
               const float* sums, float* bias) {
  const int column = static_cast<int>(blockIdx.x * kLanes + threadIdx.x);
  float mine = 0.0f;
#pragma unroll 4
  for (int symbol = static_cast<int>(threadIdx.y); symbol < symbols; symbol += kWarps) {
    mine += sums[static_cast<std::size_t>(symbol) * columns.count() + column];
  }
  const float sum = sum_of_warps(mine);
  const auto [p, unit] = columns.place(column);
  if (threadIdx.y != 0 || unit >= units || !has_bias.has(p)) return;
  bias[static_cast<std::size_t>(has_bias.block(p)) * units + unit] += sum;
}

}  // namespace

void add_symbol_gradients(const Context& context, const RecurrentSpec& spec, const PlacedRows& rows,
                          const std::int32_t* symbols, const Deltas& deltas, DeviceMemory& scratch,
                          float* parameters) {
  if (rows.capacity == 0) return;
  const DeltaColumns columns(spec, deltas);
  const CellTerms parts(spec);
  const SymbolSums by_symbol(
      spec.inputs,
      {deltas.gates, columns.of_gates(), deltas.inputs, columns.count() - columns.of_gates()},
      static_cast<std::size_t>(rows.tape_rows()), scratch);
  const auto row_blocks =
      static_cast<unsigned>(divide_up(static_cast<int>(rows.tape_rows()), kThreads));
  find_symbols<<<row_blocks, kThreads, 0, context.stream>>>(rows, spec.reverse, symbols,
                                                            by_symbol.rows());
  check_launch("find_symbols");
  const float* sums = by_symbol.add_up(context);
  const dim3 weight_blocks(static_cast<unsigned>(columns.count()),
                           static_cast<unsigned>(divide_up(spec.inputs, kThreads)));
  add_weights<<<weight_blocks, kThreads, 0, context.stream>>>(
      columns, spec.inputs, spec.units, parts.x, sums, parameters + spec.weight_x());
  check_launch("add_weights");
  add_biases<<<static_cast<unsigned>(columns.count() / kLanes), dim3(kLanes, kWarps), 0,
               context.stream>>>(columns, spec.inputs, spec.units, parts.bias, sums,
                                 parameters + spec.bias());
  check_launch("add_biases");
}

}  // namespace rwa::cuda

// src/backend/cuda/tape.cuh: what a row and a column of the gradients on the tape stand for.
#pragma once

#include "backend/cuda/gates.h"
#include "backend/cuda/gradients.h"
#include "backend/cuda/rows.h"

namespace rwa::cuda {

// The step of a row of the tape.
__device__ inline int step_of(const PlacedRows& rows, int row) {
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
__device__ inline long source_of(const PlacedRows& rows, int row, bool reverse) {
  const int t = step_of(rows, row);
  return rows.source(t, row - rows.offset[t], reverse);
}

// The gradients' columns: first those of the gates, then of the pre-activation that sees x only,
// where there is one. Both are multiples of 32.
struct DeltaColumns {
  DeltaColumns(const RecurrentSpec& spec, const Deltas& of)
      : deltas(of), gates(device_gates(spec)) {}

  [[nodiscard]] __host__ __device__ int of_gates() const { return deltas.padded_units * gates; }
  [[nodiscard]] __host__ __device__ int count() const {
    return of_gates() + (deltas.inputs != nullptr ? deltas.padded_units : 0);
  }
  // Where a column of a row lies; up to the next multiple of 32, its neighbours are beside it.
  [[nodiscard]] __device__ const float* at(int row, int column) const {
    const auto r = static_cast<std::size_t>(row);
    return column < of_gates() ? deltas.gates + r * of_gates() + column
                               : deltas.inputs + r * deltas.padded_units + (column - of_gates());
  }

  struct Place {
    int preactivation, unit;
  };
  // There are two gates or four.
  [[nodiscard]] __device__ Place place(int column) const {
    if (column >= of_gates()) return {gates, column - of_gates()};
    return {column & (gates - 1), column >> (gates == 4 ? 2 : 1)};
  }

  Deltas deltas;
  int gates;
};

}  // namespace rwa::cuda

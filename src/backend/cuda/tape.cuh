// src/backend/cuda/tape.cuh: maps rows and columns of the tape's gradients to steps, units and
// gates.
#pragma once

#include "backend/cuda/gates.h"
#include "backend/cuda/gradients.h"
#include "backend/cuda/rows.h"

namespace rwa::cuda {

// Returns the step of a tape row, by binary search in `offset`.
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

// Returns the row of a [T,B,·] array for a tape row, or -1 for padding.
__device__ inline long source_of(const PlacedRows& rows, int row, bool reverse) {
  const int t = step_of(rows, row);
  return rows.source(t, row - rows.offset[t], reverse);
}

// The columns of the gradients: first the gates, then the pre-activation that sees only x, if any.
// Both widths are multiples of 32.
struct DeltaColumns {
  DeltaColumns(const RecurrentSpec& spec, const Deltas& of)
      : deltas(of), gates(device_gates(spec)) {}

  [[nodiscard]] __host__ __device__ int of_gates() const { return deltas.padded_units * gates; }
  [[nodiscard]] __host__ __device__ int count() const {
    return of_gates() + (deltas.inputs != nullptr ? deltas.padded_units : 0);
  }
  // The address of a column of a row. Columns are contiguous up to the next multiple of 32.
  [[nodiscard]] __device__ const float* at(int row, int column) const {
    const auto r = static_cast<std::size_t>(row);
    return column < of_gates() ? deltas.gates + r * of_gates() + column
                               : deltas.inputs + r * deltas.padded_units + (column - of_gates());
  }

  struct Place {
    int preactivation, unit;
  };
  // `gates` is 2 or 4.
  [[nodiscard]] __device__ Place place(int column) const {
    if (column >= of_gates()) return {gates, column - of_gates()};
    return {column & (gates - 1), column >> (gates == 4 ? 2 : 1)};
  }

  Deltas deltas;
  int gates;
};

}  // namespace rwa::cuda

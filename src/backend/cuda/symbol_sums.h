// src/backend/cuda/symbol_sums.h: the sums of the rows that have the same symbol, which is how the
// gradient of a table comes about. In fp32, in an order that depends on the rows alone.
#pragma once

#include <cstddef>
#include <cstdint>

#include "backend/cuda/runtime.h"

namespace rwa::cuda {

// Rows in the order in which they are added. In device memory, for kernels to fill in.
struct SymbolRows {
  std::int32_t* count;   // how many there are
  std::int32_t* symbol;  // -1 where it does not count
  std::int32_t* row;     // of the numbers
};

// What is summed: two arrays whose columns lie side by side, of which the second may be none. All
// tiles of 32 columns are in one of them.
struct SummedColumns {
  const float* first;
  int first_width;
  const float* second = nullptr;
  int second_width = 0;

  [[nodiscard]] __host__ __device__ int width() const { return first_width + second_width; }
};

class SymbolSums {
 public:
  // For as many rows as there may ever be. `scratch` grows to what that takes.
  SymbolSums(int symbols, const SummedColumns& columns, std::size_t most_rows,
             DeviceMemory& scratch);

  // To be filled in before add_up().
  [[nodiscard]] const SymbolRows& rows() const { return rows_; }
  // Leaves the sums in the scratch memory, [symbols][width], 0 where a symbol has no row.
  const float* add_up(const Context& context) const;

 private:
  int symbols_;
  SummedColumns columns_;
  int shares_;
  SymbolRows rows_;
  float* sums_;
};

}  // namespace rwa::cuda

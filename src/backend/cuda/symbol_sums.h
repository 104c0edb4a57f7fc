// src/backend/cuda/symbol_sums.h: sums of the rows with the same symbol, for the gradient of a
// table. In fp32, in an order that depends only on the rows.
#pragma once

#include <cstddef>
#include <cstdint>

#include "backend/cuda/runtime.h"

namespace rwa::cuda {

// Rows in the order in which they are added. In device memory; kernels fill it in.
struct SymbolRows {
  std::int32_t* count;   // number of rows
  std::int32_t* symbol;  // -1 for padding
  std::int32_t* row;     // in SummedColumns
};

// The columns to sum: those of `first`, then those of `second`, if any. No tile of 32 columns spans
// both.
struct SummedColumns {
  const float* first;
  int first_width;
  const float* second = nullptr;
  int second_width = 0;

  [[nodiscard]] __host__ __device__ int width() const { return first_width + second_width; }
};

class SymbolSums {
 public:
  // For at most `most_rows` rows; `scratch` grows to fit them.
  SymbolSums(int symbols, const SummedColumns& columns, std::size_t most_rows,
             DeviceMemory& scratch);

  // Fill these in before add_up().
  [[nodiscard]] const SymbolRows& rows() const { return rows_; }
  // Returns the sums, [symbols][width] in scratch memory; 0 for a symbol without rows.
  const float* add_up(const Context& context) const;

 private:
  int symbols_;
  SummedColumns columns_;
  int shares_;
  SymbolRows rows_;
  float* sums_;
};

}  // namespace rwa::cuda

// src/backend/cuda/rows.h: how a batch of sequences of unequal length is laid out on the device.
// Sequences are sorted by length, longest first, and take slots in that order; slots come in
// octets. An octet has step t while any of its sequences is longer than t. So the tape, which keeps
// all steps, is one dense array of rows: step t of a slot is row offset[t] + slot. Work is
// proportional to the number of rows.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "backend/spec.h"

namespace rwa {

inline constexpr int kOctet = 8;
inline constexpr int kSlotPadding = 32;  // the number of slots is a multiple of this

// In device memory, rewritten for every batch: what changes between launches of one CUDA graph.
struct RowsHeader {
  std::int32_t steps;    // of the longest sequence
  std::int32_t batch;    // B
  std::int32_t rows;     // of the tape, a multiple of kOctet: offset[steps]
  std::int32_t counted;  // the sum of the lengths
  // If this is part of a larger batch: the size of that batch, the index of this part's first
  // sequence in it and, for targets only, its sum of lengths. Otherwise `batch`, 0 and 0.
  std::int32_t whole;
  std::int32_t first;
  std::int32_t counted_in_whole;
};

// How many rows there may be: the capacity.
inline int row_count(const Rows& rows) { return static_cast<int>(rows.index(rows.steps, 0)); }

struct PlacedRows {
  int slots = 0;     // B rounded up to a multiple of kSlotPadding
  int capacity = 0;  // steps allocated
  // On the device:
  const RowsHeader* header = nullptr;
  const std::int32_t* sequence = nullptr;  // [slots]: index in the batch; -1 if unused
  const std::int32_t* length = nullptr;    // [slots], descending; 0 if unused
  // [capacity + 1]: the first tape row of step t; header->rows from t = steps on. Step t has slots
  // 0 … offset[t + 1] - offset[t] - 1; those with t < length hold data, the others are padding.
  const std::int32_t* offset = nullptr;
  // If these rows are a chunk of a batch's steps: the first step of the chunk, and the lengths of
  // the whole sequences. Otherwise 0 and null.
  int first = 0;
  const std::int32_t* whole_length = nullptr;

  // The maximum number of tape rows.
  [[nodiscard]] long tape_rows() const { return static_cast<long>(capacity) * slots; }

  // Returns the row of the batch's [T,B,·] arrays for step t of a slot, or -1 if the slot has no
  // such step. `reverse`: the layer reads from the last step to the first.
  [[nodiscard]] __device__ long source(int t, int slot, bool reverse) const {
    if (t >= length[slot]) return -1;
    const int step = first + t;
    const int all = whole_length == nullptr ? length[slot] : whole_length[slot];
    return static_cast<long>(reverse ? all - 1 - step : step) * header->batch + sequence[slot];
  }
};

namespace cuda {

// The rows of a [steps, batch, ·] array by step and slot, for device code.
class CountedRows {
 public:
  explicit CountedRows(const Rows& rows) : steps_(rows.steps), batch_(rows.batch) {
    if (rows.placed == nullptr) return;
    header_ = rows.placed->header;
    sequence_ = rows.placed->sequence;
    length_ = rows.placed->length;
  }

  __device__ int batch() const { return batch_; }
  // The sequence in a slot, 0 … batch() - 1, and its length.
  __device__ int sequence(int slot) const { return header_ == nullptr ? slot : sequence_[slot]; }
  __device__ int length(int slot) const { return header_ == nullptr ? steps_ : length_[slot]; }

  // All rows up to the end of the longest sequence.
  __device__ int size() const { return (header_ == nullptr ? steps_ : header_->steps) * batch_; }
  // The rows that hold data.
  __device__ int counted() const { return header_ == nullptr ? size() : header_->counted; }
  // Maps a row of this array to its row in the whole batch's array.
  __device__ std::uint64_t place(int row) const {
    if (header_ == nullptr) return static_cast<std::uint64_t>(row);
    const int step = row / batch_;
    return static_cast<std::uint64_t>(step) * header_->whole + header_->first + row - step * batch_;
  }
  // Returns the array row of the i-th of size(), or -1 if it is padding.
  __device__ int operator[](int i) const {
    if (header_ == nullptr) return i;
    const int step = i / batch_;
    const int slot = i - step * batch_;
    return step < length_[slot] ? step * batch_ + sequence_[slot] : -1;
  }

 private:
  int steps_;
  int batch_;
  const RowsHeader* header_ = nullptr;
  const std::int32_t* sequence_ = nullptr;
  const std::int32_t* length_ = nullptr;
};

}  // namespace cuda
}  // namespace rwa

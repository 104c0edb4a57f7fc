// src/backend/cuda/rows.h: the lengths of a batch on the device. Sequences are ordered by length,
// longest first, and take slots in that order; slots come in octets. Step t of an octet is there
// while any of its sequences is longer than t, so that what is kept of all steps, the tape, is one
// dense array of rows: row offset[t] + slot. Whatever is done costs what the octets' lengths cost.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "backend/spec.h"

namespace rwa {

inline constexpr int kOctet = 8;
inline constexpr int kSlotPadding = 32;  // slots are a multiple of it

// In device memory, rewritten for every batch: kernels read from it what a recording cannot know.
struct RowsHeader {
  std::int32_t steps;    // of the longest sequence
  std::int32_t batch;    // B
  std::int32_t rows;     // of the tape, a multiple of kOctet: offset[steps]
  std::int32_t counted;  // the sum of the lengths
};

struct PlacedRows {
  int slots = 0;     // B rounded up to a multiple of kSlotPadding
  int capacity = 0;  // steps that there is room for
  // On the device:
  const RowsHeader* header = nullptr;
  const std::int32_t* sequence = nullptr;  // [slots]: which of the batch; -1 in those left over
  const std::int32_t* length = nullptr;    // [slots], falling; 0 in those left over
  // [capacity + 1]: of the tape's rows the first of step t; header->rows from t = steps on. So step
  // t has slots 0 … offset[t + 1] - offset[t] - 1, of which those with t < length count.
  const std::int32_t* offset = nullptr;

  // Most rows that the tape can have.
  [[nodiscard]] long tape_rows() const { return static_cast<long>(capacity) * slots; }
};

namespace cuda {

// The rows of a [steps, batch, ·] array in the order of steps and slots, as kernels find them.
class CountedRows {
 public:
  explicit CountedRows(const Rows& rows) : steps_(rows.steps), batch_(rows.batch) {
    if (rows.placed == nullptr) return;
    header_ = rows.placed->header;
    sequence_ = rows.placed->sequence;
    length_ = rows.placed->length;
  }

  // All up to the end of the longest sequence.
  __device__ int size() const { return (header_ == nullptr ? steps_ : header_->steps) * batch_; }
  // Those that count.
  __device__ int counted() const { return header_ == nullptr ? size() : header_->counted; }
  // The i-th of size(): which of the array it is; -1 where it does not count.
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

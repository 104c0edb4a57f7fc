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
  // Where it is a part of a larger batch: how many sequences that one has, which of them is the
  // first here, and its sum of the lengths, of targets alone; else as here, 0 and 0.
  std::int32_t whole;
  std::int32_t first;
  std::int32_t counted_in_whole;
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
  // Where these are some of a batch's steps, as if they were a batch of their own: which step of it
  // is the first, and its lengths. Of a whole batch, 0 and null.
  int first = 0;
  const std::int32_t* whole_length = nullptr;

  // Most rows that the tape can have.
  [[nodiscard]] long tape_rows() const { return static_cast<long>(capacity) * slots; }

  // Which row of the batch's [T,B,·] arrays is step t of a slot, of a layer that reads from the
  // last step to the first where `reverse` says so; -1 where the slot has no such step.
  [[nodiscard]] __device__ long source(int t, int slot, bool reverse) const {
    if (t >= length[slot]) return -1;
    const int step = first + t;
    const int all = whole_length == nullptr ? length[slot] : whole_length[slot];
    return static_cast<long>(reverse ? all - 1 - step : step) * header->batch + sequence[slot];
  }
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

  __device__ int batch() const { return batch_; }
  // Which of the batch has a slot, 0 … batch() - 1, and how many steps.
  __device__ int sequence(int slot) const { return header_ == nullptr ? slot : sequence_[slot]; }
  __device__ int length(int slot) const { return header_ == nullptr ? steps_ : length_[slot]; }

  // All up to the end of the longest sequence.
  __device__ int size() const { return (header_ == nullptr ? steps_ : header_->steps) * batch_; }
  // Those that count.
  __device__ int counted() const { return header_ == nullptr ? size() : header_->counted; }
  // Which row of the whole batch's array is that row of this one.
  __device__ std::uint64_t place(int row) const {
    if (header_ == nullptr) return static_cast<std::uint64_t>(row);
    const int step = row / batch_;
    return static_cast<std::uint64_t>(step) * header_->whole + header_->first + row - step * batch_;
  }
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

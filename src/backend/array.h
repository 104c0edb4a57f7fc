// src/backend/array.h: an owning array in device memory.
#pragma once

#include <cstddef>
#include <span>
#include <utility>

#include "backend/backend.h"

namespace rwa {

template <class Real, class T = Real>
class Array {
 public:
  explicit Array(Backend<Real>& backend, std::size_t count = 0) : backend_(&backend) {
    reserve(count);
  }
  ~Array() { backend_->release(data_); }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;

  // Makes room for `count` values. Growing discards the contents.
  void reserve(std::size_t count) {
    if (count <= capacity_) return;
    backend_->release(std::exchange(data_, nullptr));
    capacity_ = 0;
    data_ = static_cast<T*>(backend_->allocate(count * sizeof(T)));
    capacity_ = count;
  }
  void clear(std::size_t count) { backend_->clear(data_, count * sizeof(T)); }
  void write(std::span<const T> host) { backend_->write(data_, host.data(), host.size_bytes()); }
  void read(std::span<T> host) const { backend_->read(host.data(), data_, host.size_bytes()); }

  [[nodiscard]] T* data() { return data_; }
  [[nodiscard]] const T* data() const { return data_; }

 private:
  Backend<Real>* backend_;
  T* data_ = nullptr;
  std::size_t capacity_ = 0;
};

// Number of values in a [steps, batch, width] array.
inline std::size_t count_of(const Rows& rows, int width) {
  return static_cast<std::size_t>(rows.steps) * static_cast<std::size_t>(rows.batch) *
         static_cast<std::size_t>(width);
}

// Returns scratch memory for a [steps, batch, width] array. It grows as needed and is reused.
template <class Real>
Real* room(Array<Real>& array, const Rows& rows, int width) {
  array.reserve(count_of(rows, width));
  return array.data();
}

// The same, zeroed: gradients are accumulated.
template <class Real>
Real* cleared_room(Array<Real>& array, const Rows& rows, int width) {
  Real* values = room(array, rows, width);
  array.clear(count_of(rows, width));
  return values;
}

}  // namespace rwa

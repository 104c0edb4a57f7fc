// src/backend/array.h: numbers in the memory of a device.
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

  // Room for `count`; what was there before is lost when it has to grow.
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

}  // namespace rwa

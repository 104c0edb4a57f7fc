// src/base/buffer.h: memory for numbers that vectors read: aligned, uninitialised, grows and never
// shrinks.
#pragma once

#include <cstddef>
#include <memory>

namespace rwa {

class Buffer {
 public:
  // Room for `count` floats, starting at a cache line. What was there before is lost when it has to
  // grow. Throws ResourceError with the bytes that were needed.
  void reserve(std::size_t count);

  [[nodiscard]] float* data() { return data_.get(); }
  [[nodiscard]] const float* data() const { return data_.get(); }

 private:
  struct Free {
    void operator()(float* pointer) const noexcept;
  };
  std::unique_ptr<float, Free> data_;
  std::size_t capacity_ = 0;
};

}  // namespace rwa

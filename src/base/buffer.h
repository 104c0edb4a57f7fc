// src/base/buffer.h: memory for vectorised code: aligned, uninitialised, growing and never
// shrinking.
#pragma once

#include <cstddef>
#include <memory>

namespace rwa {

class Buffer {
 public:
  // Makes room for `count` floats, aligned to a cache line. Growing discards the content. Throws
  // ResourceError with the number of bytes needed.
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

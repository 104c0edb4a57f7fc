// tests/support/cuda_stream.h: a caller's own stream on the GPU, and work for it. Uses the driver
// library, because tests are also built without CUDA.
#pragma once

#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace rwa::cases {

// Only for threads that have used the GPU.
class CudaStream {
 public:
  CudaStream() {
    constexpr unsigned kNonBlocking = 1;
    call<int(void**, unsigned)>("cuStreamCreate", &stream_, kNonBlocking);
  }
  ~CudaStream() {
    call<int(void*)>("cuStreamDestroy_v2", stream_);
  }  // deferred until its work is done
  CudaStream(const CudaStream&) = delete;
  CudaStream& operator=(const CudaStream&) = delete;

  [[nodiscard]] void* handle() const { return stream_; }

  // Copies from device memory to device memory.
  void copy(float* to, const float* from, std::size_t count) {
    call<int(Address, Address, std::size_t, void*)>("cuMemcpyDtoDAsync_v2", address(to),
                                                    address(from), count * sizeof(float), stream_);
  }
  // All bits set: NaN.
  void spoil(float* numbers, std::size_t count) {
    call<int(Address, unsigned, std::size_t, void*)>("cuMemsetD32Async", address(numbers), ~0U,
                                                     count, stream_);
  }
  void wait() { call<int(void*)>("cuStreamSynchronize", stream_); }

 private:
  using Address = std::uint64_t;

  static Address address(const float* numbers) { return reinterpret_cast<Address>(numbers); }

  template <class Function, class... Args>
  static void call(const char* name, Args... args) {
    static void* const driver = dlopen("libcuda.so.1", RTLD_NOW);
    void* const found = driver == nullptr ? nullptr : dlsym(driver, name);
    if (found == nullptr) throw std::runtime_error(std::string("no ") + name);
    const int result = reinterpret_cast<Function*>(found)(args...);
    if (result != 0) throw std::runtime_error(name + (" gave " + std::to_string(result)));
  }

  void* stream_ = nullptr;
};

}  // namespace rwa::cases

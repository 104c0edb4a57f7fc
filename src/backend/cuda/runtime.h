// src/backend/cuda/runtime.h: the CUDA runtime wrapped in exceptions and RAII, and the context that
// all parts of this backend share.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <utility>

namespace rwa::cuda {

// The kernels that run the recurrence.
enum class Path {
  kAutomatic,
  kPersistent,  // one kernel per direction, weights on chip, split fp16 products (Hopper)
  kExact,       // the same with fp32 products: the reference for the split ones
  kPlain,       // one kernel per step: any size, any GPU
};

// The only compute capability that runs the persistent kernels.
inline constexpr int kHopper = 90;

// Throws ResourceError if an allocation failed, Error for any other failure; both name `what`.
void check(cudaError_t result, const char* what);
// Checks the launch that has just been made.
inline void check_launch(const char* kernel) { check(cudaGetLastError(), kernel); }

// The number of GPUs that CUDA can use; 0 without a driver.
int device_count();

// Allocates device memory. Throws ResourceError with the number of bytes if there is too little.
void* allocate(std::size_t bytes);

// One backend's stream and its device's properties. Throws ConfigError if there is no such GPU.
struct Context {
  Context(int device_number, int sharing, Path path_wanted);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  // Call before using the device on a thread.
  void make_current() const { check(cudaSetDevice(device), "cudaSetDevice"); }

  int device;
  int share;  // number of backends that run concurrently on the device
  Path path;
  cudaStream_t stream = nullptr;
  int capability = 0;     // compute capability times 10
  int shared_memory = 0;  // most bytes for one thread block
};

// Restores the thread's current device on destruction.
class CurrentDevice {
 public:
  CurrentDevice() : device_(current()) {}
  ~CurrentDevice() {
    if (device_ >= 0 && current() != device_) (void)cudaSetDevice(device_);
  }
  CurrentDevice(const CurrentDevice&) = delete;
  CurrentDevice& operator=(const CurrentDevice&) = delete;

 private:
  // -1: none.
  static int current() {
    int device = -1;
    if (cudaGetDevice(&device) == cudaSuccess) return device;
    (void)cudaGetLastError();
    return -1;
  }

  int device_;
};

// Device memory that grows and never shrinks. Growing discards the contents and synchronises with
// the device, so it must not happen during graph capture: see cuda/training.h.
class DeviceMemory {
 public:
  DeviceMemory() = default;
  ~DeviceMemory() { (void)cudaFree(data_); }
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  void reserve(std::size_t bytes);
  template <class T>
  [[nodiscard]] T* as() const {
    return static_cast<T*>(data_);
  }

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

// Pinned host memory that grows in the same way, for asynchronous copies.
class PinnedMemory {
 public:
  PinnedMemory() = default;
  ~PinnedMemory() { (void)cudaFreeHost(data_); }
  PinnedMemory(const PinnedMemory&) = delete;
  PinnedMemory& operator=(const PinnedMemory&) = delete;

  void reserve(std::size_t bytes);
  [[nodiscard]] std::byte* data() const { return static_cast<std::byte*>(data_); }

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

// A CUDA event. Waiting for one that was never recorded returns at once.
class Event {
 public:
  Event() { check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "cudaEventCreate"); }
  ~Event() { (void)cudaEventDestroy(event_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  void record(cudaStream_t stream) { check(cudaEventRecord(event_, stream), "cudaEventRecord"); }
  void wait() const { check(cudaEventSynchronize(event_), "cudaEventSynchronize"); }
  [[nodiscard]] bool is_over() const {
    const cudaError_t result = cudaEventQuery(event_);
    if (result == cudaErrorNotReady) {
      (void)cudaGetLastError();  // or the next check_launch() would report it
      return false;
    }
    check(result, "cudaEventQuery");
    return true;
  }
  void hold(cudaStream_t stream) const {  // later work on `stream` waits for the event
    check(cudaStreamWaitEvent(stream, event_), "cudaStreamWaitEvent");
  }

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace rwa::cuda

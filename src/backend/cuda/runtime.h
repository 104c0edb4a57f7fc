// src/backend/cuda/runtime.h: the CUDA runtime with exceptions and owners, and what all parts of
// this backend share.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <utility>

namespace rwa::cuda {

// Which kernels run the recurrence.
enum class Path {
  kAutomatic,
  kPersistent,  // one kernel per direction, weights on chip, products of split halves (Hopper)
  kExact,       // the same with plain fp32 products: the reference of the split ones
  kPlain,       // one kernel per step, for any size and any GPU
};

// The compute capability that the persistent kernels are made for, and no other.
inline constexpr int kHopper = 90;

// Throws ResourceError for memory that cannot be had, else Error, naming `what`.
void check(cudaError_t result, const char* what);
// After a kernel's launch.
inline void check_launch(const char* kernel) { check(cudaGetLastError(), kernel); }

// Of GPUs that CUDA can use; without a driver there are none.
int device_count();

// Throws ResourceError with the bytes that were needed.
void* allocate(std::size_t bytes);

// One backend's stream and what its device can do. Throws ConfigError when there is no such GPU.
struct Context {
  Context(int device_number, int sharing, Path path_wanted);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  // To be called before the first use on a thread.
  void make_current() const { check(cudaSetDevice(device), "cudaSetDevice"); }

  int device;
  int share;  // how many backends are meant to run side by side on the device
  Path path;
  cudaStream_t stream = nullptr;
  int capability = 0;     // 90: see kHopper
  int shared_memory = 0;  // bytes that a block can have
};

// While it lives, the thread may take another device; then its current one is as it was.
class CurrentDevice {
 public:
  CurrentDevice() : device_(current()) {}
  ~CurrentDevice() {
    if (device_ >= 0 && current() != device_) (void)cudaSetDevice(device_);
  }
  CurrentDevice(const CurrentDevice&) = delete;
  CurrentDevice& operator=(const CurrentDevice&) = delete;

 private:
  // -1: there is none.
  static int current() {
    int device = -1;
    if (cudaGetDevice(&device) == cudaSuccess) return device;
    (void)cudaGetLastError();
    return -1;
  }

  int device_;
};

// Memory of the device that grows and never shrinks; contents are lost when it grows. Growing waits
// for the device. Not while a recording is made: see cuda/training.h.
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

// The same in the host's memory, where the device can copy to and from while the host goes on.
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

// A moment in a stream's work. Before it is recorded there is nothing to wait for.
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
      (void)cudaGetLastError();  // else the next launch would be blamed
      return false;
    }
    check(result, "cudaEventQuery");
    return true;
  }
  void hold(cudaStream_t stream) const {  // what is asked for there next waits
    check(cudaStreamWaitEvent(stream, event_), "cudaStreamWaitEvent");
  }

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace rwa::cuda

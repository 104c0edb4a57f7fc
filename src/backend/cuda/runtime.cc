#include "backend/cuda/runtime.h"

#include <fmt/format.h>

#include "rwa/errors.h"

namespace rwa::cuda {
namespace {
int attribute(cudaDeviceAttr which, int device) {
  int value = 0;
  check(cudaDeviceGetAttribute(&value, which, device), "cudaDeviceGetAttribute");
  return value;
}

int existing(int device) {
  const int count = device_count();
  if (device < 0 || device >= count) {
    throw ConfigError(fmt::format("there is no GPU {}: CUDA finds {} on this machine{}", device,
                                  count, count > 0 ? ", numbered from 0" : ""));
  }
  return device;
}
}  // namespace

void check(cudaError_t result, const char* what) {
  if (result == cudaSuccess) return;
  (void)cudaGetLastError();  // or the next check_launch() would report it
  if (result == cudaErrorMemoryAllocation) {
    throw ResourceError(fmt::format("{}: not enough GPU memory", what));
  }
  throw Error(
      fmt::format("{}: {} ({})", what, cudaGetErrorString(result), cudaGetErrorName(result)));
}

int device_count() {
  int count = 0;
  if (cudaGetDeviceCount(&count) == cudaSuccess) return count;
  (void)cudaGetLastError();
  return 0;
}

void* allocate(std::size_t bytes) {
  void* memory = nullptr;
  const cudaError_t result = cudaMalloc(&memory, bytes);
  if (result == cudaErrorMemoryAllocation) {
    (void)cudaGetLastError();
    std::size_t free = 0;
    std::size_t total = 0;
    check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
    throw ResourceError(fmt::format("not enough GPU memory for {} bytes: {} of {} bytes are free",
                                    bytes, free, total));
  }
  check(result, "cudaMalloc");
  return memory;
}

Context::Context(int device_number, int sharing, Path path_wanted)
    : device(existing(device_number)), share(sharing), path(path_wanted) {
  make_current();
  capability = 10 * attribute(cudaDevAttrComputeCapabilityMajor, device) +
               attribute(cudaDevAttrComputeCapabilityMinor, device);
  shared_memory = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreate");
}

Context::~Context() { (void)cudaStreamDestroy(stream); }

void DeviceMemory::reserve(std::size_t bytes) {
  if (bytes <= bytes_) return;
  check(cudaFree(std::exchange(data_, nullptr)), "cudaFree");
  bytes_ = 0;
  data_ = allocate(bytes);
  bytes_ = bytes;
}

void PinnedMemory::reserve(std::size_t bytes) {
  if (bytes <= bytes_) return;
  check(cudaFreeHost(std::exchange(data_, nullptr)), "cudaFreeHost");
  bytes_ = 0;
  if (cudaMallocHost(&data_, bytes) != cudaSuccess) {
    (void)cudaGetLastError();
    data_ = nullptr;
    throw ResourceError(fmt::format("cannot pin {} bytes of host memory", bytes));
  }
  bytes_ = bytes;
}

}  // namespace rwa::cuda

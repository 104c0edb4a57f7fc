// src/bench/device_memory.cc: asks the driver, if the backend has loaded it, so that this layer
// needs no CUDA to be built.
#include "bench/device_memory.h"

#include <cstddef>

#include <dlfcn.h>

namespace rwa::bench {

std::int64_t free_device_bytes() {
  using Query = int(std::size_t * free, std::size_t * total);
  void* driver = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (driver == nullptr) return 0;
  // reinterpret_cast: the only way from dlsym's object pointer to a function.
  auto* query = reinterpret_cast<Query*>(::dlsym(driver, "cuMemGetInfo_v2"));
  std::size_t free = 0;
  std::size_t total = 0;
  const bool known = query != nullptr && query(&free, &total) == 0;
  ::dlclose(driver);
  return known ? static_cast<std::int64_t>(free) : 0;
}

}  // namespace rwa::bench

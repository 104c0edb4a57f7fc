#include "backend/device.h"

#include <fmt/format.h>

#include <charconv>

#include "rwa/errors.h"

namespace rwa {
namespace {
// Returns the GPU's number. Throws ConfigError for any other name.
int gpu_number(std::string_view device) {
  constexpr std::string_view kPrefix = "cuda:";
  if (device == "cuda") return 0;
  int number = -1;
  if (device.starts_with(kPrefix)) {
    std::from_chars(device.data() + kPrefix.size(), device.data() + device.size(), number);
  }
  // Formatting the number again rejects "cuda:-1", "cuda:1x" and "cuda:01".
  if (number < 0 || fmt::format("{}{}", kPrefix, number) != device) {
    throw ConfigError(
        fmt::format("device is '{}', expected cpu, cuda or cuda:N (N: GPU number)", device));
  }
  return number;
}
}  // namespace

std::unique_ptr<Backend<float>> make_backend(std::string_view device, int threads, int share) {
  if (share < 1 || share > kMostShare) {
    throw ConfigError(fmt::format("share is {}, expected 1 to {}", share, kMostShare));
  }
  if (is_host(device)) return make_cpu_backend(threads);
  return make_cuda_backend(gpu_number(device), share);
}

}  // namespace rwa

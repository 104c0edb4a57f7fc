#include "rwa/device.h"

#include <fmt/format.h>

#include <algorithm>

#include "backend/cuda/cuda.h"
#include "rwa/errors.h"

namespace rwa {

std::vector<DeviceInfo> devices() {
  std::vector<DeviceInfo> all = {{.name = "cpu", .description = ""}};
  for (int i = 0; i < cuda_devices(); ++i) {
    all.push_back({fmt::format("cuda:{}", i), cuda_device_name(i)});
  }
  return all;
}

void check_device(std::string_view name) {
  const auto all = devices();
  const std::string_view whole = name == "cuda" ? "cuda:0" : name;
  if (std::ranges::any_of(all, [&](const DeviceInfo& d) { return d.name == whole; })) return;
  std::string known;
  for (const DeviceInfo& d : all) known += (known.empty() ? "" : ", ") + d.name;
  throw ConfigError(fmt::format("device is '{}', expected one of: {}{}", name, known,
                                cuda_devices() == 0 ? " (" + why_no_cuda() + ")" : ""));
}

}  // namespace rwa

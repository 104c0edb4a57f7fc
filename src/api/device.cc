#include "rwa/device.h"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <fstream>
#include <thread>

#include "backend/device.h"
#include "base/shards.h"
#include "rwa/errors.h"

namespace rwa {
namespace {
constexpr std::string_view kCpu = "cpu";

std::string processor() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    const std::size_t value = line.find(": ");
    if (line.starts_with("model name") && value != line.npos) return line.substr(value + 2);
  }
  return "unknown processor";
}
}  // namespace

std::vector<DeviceInfo> devices() {
  std::vector<DeviceInfo> all = {{std::string(kCpu), processor()}};
  for (int i = 0; i < cuda_devices(); ++i) {
    all.push_back({fmt::format("cuda:{}", i), cuda_device_name(i)});
  }
  return all;
}

int default_threads() {
  cpu_set_t cores;
  const int count = sched_getaffinity(0, sizeof(cores), &cores) == 0
                        ? CPU_COUNT(&cores)
                        : static_cast<int>(std::thread::hardware_concurrency());
  return std::clamp(count, 1, kShards);
}

DeviceInfo find_device(std::string_view name) {
  // Does not initialise CUDA: afterwards, forked children could not use it.
  if (name == kCpu) return {std::string(kCpu), processor()};
  const auto all = devices();
  const std::string_view whole = name == "cuda" ? "cuda:0" : name;
  const auto found = std::ranges::find(all, whole, &DeviceInfo::name);
  if (found != all.end()) return *found;
  std::string known;
  for (const DeviceInfo& d : all) known += (known.empty() ? "" : ", ") + d.name;
  throw ConfigError(fmt::format("device is '{}', expected one of: {}{}", name, known,
                                cuda_devices() == 0 ? " (" + why_no_cuda() + ")" : ""));
}

}  // namespace rwa

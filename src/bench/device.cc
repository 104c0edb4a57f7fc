// src/bench/device.cc: a child cannot use CUDA after its parent has initialised it, and every
// measurement runs in a child. So the device is queried in a child, too.
#include "bench/device.h"

#include <dlfcn.h>

#include <cstddef>
#include <cstdio>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bench/processes.h"
#include "rwa/device.h"
#include "rwa/errors.h"

namespace rwa::bench {
namespace {

constexpr int kRefused = 2;

int print_description(const std::string& name) {
  try {
    fmt::print("{}", find_device(name).description);
  } catch (const ConfigError& refusal) {
    fmt::print(stderr, "{}\n", refusal.what());
    return kRefused;
  }
  return 0;
}

}  // namespace

std::string describe_device(const std::string& name) {
  if (name == "cpu") return find_device(name).description;
  const Outcome outcome = run_child([&] { return print_description(name); });
  if (outcome.exited_with(kRefused)) throw ConfigError(outcome.failure());
  if (!outcome.succeeded()) {
    throw ResourceError(fmt::format("cannot query device '{}': {}", name, outcome.failure()));
  }
  return outcome.out;
}

// Asks the driver if the backend has loaded it, so that this file builds without CUDA.
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

namespace {

constexpr const char* kHelper = "rwa-bench-floors";

std::optional<Floors> parse(const std::string& line) {
  try {
    const auto json = nlohmann::json::parse(line);
    return Floors{.cluster_barrier_us = json.at("cluster_barrier_us").get<double>(),
                  .all_gather_us = json.at("all_gather_us").get<double>(),
                  .grid_sync_us = json.at("grid_sync_us").get<double>(),
                  .copy_tb_per_s = json.at("copy_tb_per_s").get<double>()};
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;  // not JSON, or not these keys
  }
}

}  // namespace

std::optional<Floors> measure_floors(const std::string& device, double limit_seconds,
                                     const std::function<void(const std::string&)>& say) {
  const auto leave_out = [&](const std::string& reason) -> std::optional<Floors> {
    say(fmt::format("limits of the GPU: skipped: {}", reason));
    return std::nullopt;
  };
  const auto helper = find_helper(kHelper);
  if (!helper) return leave_out(not_found(kHelper));
  const Outcome outcome = run_helper({*helper, "--device", device}, limit_seconds);
  if (!outcome.succeeded()) return leave_out(outcome.failure());
  const auto floors = parse(outcome.out);
  return floors ? floors : leave_out(fmt::format("{} printed no result", kHelper));
}

std::string to_text(const Floors& floors) {
  return fmt::format(
      "limits of this GPU: barrier over a cluster of 8 blocks {:.2f} µs, all-gather of 1 KB per "
      "block in it {:.2f} µs,\ngrid-wide barrier {:.2f} µs, copy {:.2f} TB/s (read + write)\n",
      floors.cluster_barrier_us, floors.all_gather_us, floors.grid_sync_us, floors.copy_tb_per_s);
}

}  // namespace rwa::bench

// src/bench/floors.cc: one run of a helper, one line of JSON.
#include "bench/floors.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bench/helper.h"

namespace rwa::bench {
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
    say(fmt::format("floors: left out, {}", reason));
    return std::nullopt;
  };
  const auto helper = find_helper(kHelper);
  if (!helper) return leave_out(not_found(kHelper));
  const Outcome outcome = run_helper({*helper, "--device", device}, limit_seconds);
  if (!outcome.succeeded()) return leave_out(outcome.failure());
  const auto floors = parse(outcome.out);
  return floors ? floors : leave_out(fmt::format("{} gave no answer", kHelper));
}

std::string to_text(const Floors& floors) {
  return fmt::format(
      "floors of this GPU: cluster barrier of 8 blocks {:.2f} µs, all-gather of 1 KB per block "
      "among them {:.2f} µs,\ngrid-wide sync {:.2f} µs, copy {:.2f} TB/s (read and written)\n",
      floors.cluster_barrier_us, floors.all_gather_us, floors.grid_sync_us, floors.copy_tb_per_s);
}

}  // namespace rwa::bench

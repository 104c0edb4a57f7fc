// src/bench/device.cc: a process that has spoken to a GPU cannot hand it on to a child, and every
// measurement is one. So the question is asked in a child, too.
#include "bench/device.h"

#include <cstdio>
#include <fstream>

#include <fmt/format.h>

#include "bench/child.h"
#include "rwa/device.h"
#include "rwa/errors.h"

namespace rwa::bench {
namespace {

constexpr int kRefused = 2;

std::string processor() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    const std::size_t value = line.find(": ");
    if (line.starts_with("model name") && value != line.npos) return line.substr(value + 2);
  }
  return "unknown processor";
}

int print_description(const std::string& name) {
  try {
    check_device(name);
  } catch (const ConfigError& refusal) {
    fmt::print(stderr, "{}\n", refusal.what());
    return kRefused;
  }
  for (const DeviceInfo& device : devices()) {
    if (device.name == (name == "cuda" ? "cuda:0" : name)) fmt::print("{}", device.description);
  }
  return 0;
}

}  // namespace

std::string describe_device(const std::string& name) {
  if (name == "cpu") return processor();
  const Outcome outcome = run_child([&] { return print_description(name); });
  if (outcome.exited_with(kRefused)) throw ConfigError(outcome.failure());
  if (!outcome.succeeded()) {
    throw ResourceError(fmt::format("device '{}' does not answer: {}", name, outcome.failure()));
  }
  return outcome.out;
}

}  // namespace rwa::bench

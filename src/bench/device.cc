// src/bench/device.cc: a process that has spoken to a GPU cannot hand it on to a child, and every
// measurement is one. So the question is asked in a child, too.
#include "bench/device.h"

#include <cstdio>

#include <fmt/format.h>

#include "bench/child.h"
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
    throw ResourceError(fmt::format("device '{}' does not answer: {}", name, outcome.failure()));
  }
  return outcome.out;
}

}  // namespace rwa::bench

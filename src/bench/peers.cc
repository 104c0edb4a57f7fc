// src/bench/peers.cc: finds a helper, runs it, and reports each failure in one line.
#include "bench/peers.h"

#include <algorithm>
#include <array>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "bench/processes.h"

namespace rwa::bench {
namespace {

constexpr std::string_view kOurs = "rwa.torch";  // rwa's own layer, run by PyTorch
constexpr int kNoModule = 3;  // exit code of a Python helper that cannot import its module

struct Family {
  std::string_view prefix;  // of its peers' names
  const char* helper;
  const char* module;  // Python module; null if the helper is a program
};

constexpr std::array<Family, 5> kFamilies{{{"onednn-", "rwa-bench-onednn", nullptr},
                                           {"cudnn-", "rwa-bench-cudnn", nullptr},
                                           {"torch-", "torch_peers.py", "torch"},
                                           {kOurs, "torch_peers.py", "torch"},
                                           {"jax-", "jax_peers.py", "jax"}}};

const Family& family_of(const Case& what) {
  return *std::ranges::find_if(
      kFamilies, [&](const Family& family) { return what.name.starts_with(family.prefix); });
}

// On the CPU, Debian's Python, whatever comes first in PATH: python3-torch belongs to it. That
// torch has no GPU support.
std::string python(const Case& what) { return what.on_cpu() ? "/usr/bin/python3" : "python3"; }

std::vector<std::string> command_line(const std::string& helper, const Case& what, double seconds) {
  std::vector<std::string> words = {helper};
  if (family_of(what).module != nullptr) words = {python(what), helper, "--name", what.name};
  std::vector<std::pair<const char*, std::string>> options = {
      {"--mode", std::string(to_string(what.mode))}, {"--batch", std::to_string(what.batch)},
      {"--units", std::to_string(what.units)},       {"--inputs", std::to_string(what.inputs)},
      {"--steps", std::to_string(what.steps)},       {"--threads", std::to_string(what.threads)},
      {"--seconds", fmt::format("{}", seconds)}};
  if (!what.on_cpu()) options.emplace_back("--device", what.device);
  if (!what.variant.empty()) options.emplace_back("--variant", what.variant);
  if (what.name == kOurs) {
    // Found in the build tree; an installed package brings its own.
    const auto library = find_helper("librwa_c.so");
    if (library) options.emplace_back("--library", *library);
  }
  for (const auto& [name, value] : options) words.insert(words.end(), {name, value});
  return words;
}

}  // namespace

Peers::Peers(double limit_seconds, std::function<void(const std::string&)> say)
    : limit_seconds_(limit_seconds), say_(std::move(say)) {}

std::optional<Sample> Peers::measure(const Case& what, double seconds) {
  const std::string helper_name = family_of(what).helper;
  const auto helper = find_helper(helper_name);
  if (!helper) return leave_out(what.name, not_found(helper_name));
  const Outcome outcome = run_helper(command_line(*helper, what, seconds), limit_seconds_);
  if (!outcome.succeeded()) return explain_failure(what, outcome);
  pass_on_warnings(outcome);
  if (const auto sample = parse_sample(outcome.out)) return sample;
  return leave_out(describe(what), fmt::format("{} printed no result", helper_name));
}

std::optional<Sample> Peers::explain_failure(const Case& what, const Outcome& outcome) {
  if (outcome.timed_out) {
    pass_on_warnings(outcome);  // they may tell why it is slow
    return leave_out(describe(what), fmt::format("timed out after {} s", limit_seconds_));
  }
  const char* module = family_of(what).module;
  if (module != nullptr && outcome.exited_with(kNoModule)) {
    return leave_out(what.name, fmt::format("{} has no module {}{}", python(what), module,
                                            what.on_cpu() ? " ('make bench' installs it)" : ""));
  }
  if (outcome.exited_with(kCannotRun)) return leave_out(what.name, outcome.failure());
  return leave_out(describe(what), outcome.failure());
}

std::optional<Sample> Peers::leave_out(const std::string& what, const std::string& reason) {
  say_once(fmt::format("{}: skipped: {}", what, reason));
  return std::nullopt;
}

void Peers::pass_on_warnings(const Outcome& outcome) {
  std::istringstream lines(outcome.err);
  for (std::string line; std::getline(lines, line);) say_once(line);
}

void Peers::say_once(const std::string& line) {
  if (said_.insert(line).second) say_(line);
}

}  // namespace rwa::bench

// src/bench/peers.cc: finds a helper, runs it, and reports each failure in one line.
#include "bench/peers.h"

#include <algorithm>
#include <array>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bench/processes.h"

namespace rwa::bench {
namespace {

constexpr std::string_view kOurs = "rwa.torch";  // rwa's own layer, run by PyTorch
constexpr int kNoModule = 3;  // exit code of a Python helper that cannot import its module

// The helper is a program, or a script that needs a Python module.
struct Family {
  std::string_view prefix;  // of its peers' names
  std::string_view program, script, module;
};

const Family& family_of(const Case& what) {
  static const std::array<Family, 5> families{{{"onednn-", "rwa-bench-onednn", {}, {}},
                                               {"cudnn-", "rwa-bench-cudnn", {}, {}},
                                               {"torch-", {}, kTorchPeers, "torch"},
                                               {kOurs, {}, kTorchPeers, "torch"},
                                               {"jax-", {}, kJaxPeers, "jax"}}};
  return *std::ranges::find_if(
      families, [&](const Family& family) { return what.name.starts_with(family.prefix); });
}

// On the CPU, Debian's Python, whatever comes first in PATH: python3-torch belongs to it. That
// torch has no GPU support.
std::string python(const Case& what) { return what.on_cpu() ? "/usr/bin/python3" : "python3"; }

// Empty if the helper is a program that is not there.
std::vector<std::string> helper_words(const Family& family, const Case& what) {
  if (!family.script.empty()) {
    return {python(what), "-c", std::string(family.script), "--name", what.name};
  }
  const auto program = find_helper(std::string(family.program));
  return program ? std::vector<std::string>{*program} : std::vector<std::string>{};
}

void add_options(std::vector<std::string>& words, const Case& what, double seconds) {
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
    if (library) {
      options.emplace_back("--library", *library);
      options.emplace_back("--package", RWA_BENCH_PACKAGE);
    }
  }
  for (const auto& [name, value] : options) words.insert(words.end(), {name, value});
}

std::string how_to_install(const Case& what) {
  if (what.on_cpu()) return "'make bench' installs it";
  return what.name.starts_with("jax-") ? "pip install 'jax[cuda]'" : "pip install torch";
}

}  // namespace

Peers::Peers(double limit_seconds, std::function<void(const std::string&)> say)
    : limit_seconds_(limit_seconds), say_(std::move(say)) {}

std::optional<Sample> Peers::measure(const Case& what, double seconds) {
  const Family& family = family_of(what);
  std::vector<std::string> words = helper_words(family, what);
  if (words.empty()) return leave_out(what.name, not_found(std::string(family.program)));
  add_options(words, what, seconds);
  const Outcome outcome = run_helper(words, limit_seconds_);
  if (!outcome.succeeded()) return explain_failure(what, outcome);
  pass_on_warnings(outcome);
  if (const auto sample = parse_sample(outcome.out)) return sample;
  return leave_out(describe(what), "its helper printed no result");
}

std::optional<Sample> Peers::explain_failure(const Case& what, const Outcome& outcome) {
  if (outcome.timed_out) {
    pass_on_warnings(outcome);  // they may tell why it is slow
    return leave_out(describe(what), fmt::format("timed out after {} s", limit_seconds_));
  }
  const std::string_view module = family_of(what).module;
  if (!module.empty() && outcome.exited_with(kNoModule)) {
    return leave_out(what.name, fmt::format("{} has no module {}: {}", python(what), module,
                                            how_to_install(what)));
  }
  if (outcome.exited_with(kCannotRun)) return leave_out(what.name, outcome.failure());
  return leave_out(describe(what), outcome.failure());
}

std::optional<Sample> Peers::leave_out(const std::string& what, const std::string& reason) {
  say_once(fmt::format("{}: skipped: {}", what, reason));
  left_out_[reason].insert(what);
  return std::nullopt;
}

std::string Peers::left_out() const {
  std::string line;
  for (const auto& [reason, names] : left_out_) {
    line += fmt::format("{}{} ({})", line.empty() ? "" : "; ", fmt::join(names, ", "), reason);
  }
  return line;
}

void Peers::pass_on_warnings(const Outcome& outcome) {
  std::istringstream lines(outcome.err);
  for (std::string line; std::getline(lines, line);) say_once(line);
}

void Peers::say_once(const std::string& line) {
  if (said_.insert(line).second) say_(line);
}

}  // namespace rwa::bench

// src/bench/peers.cc: finds a helper, runs it, and turns each way to fail into a sentence.
#include "bench/peers.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <sstream>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

namespace rwa::bench {
namespace {

namespace fs = std::filesystem;

// Debian's own, whatever comes first in PATH: it is the one that python3-torch belongs to.
constexpr const char* kPython = "/usr/bin/python3";
constexpr const char* kOnednnHelper = "rwa-bench-onednn";
constexpr const char* kTorchHelper = "torch_peers.py";
constexpr int kNoTorch = 3;      // exit code of torch_peers.py
constexpr int kCannotRun = 127;  // of execute(), and of the loader when a library is missing

bool is_torch(const Case& what) { return what.name.starts_with("torch-"); }

// In the build tree beside the program, in the source tree, or where it was installed.
std::optional<fs::path> find_helper(const std::string& name) {
  std::error_code ignored;
  const fs::path folder = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  const std::array places = {folder / name, folder.parent_path() / "libexec" / "rwa" / name,
                             fs::path(RWA_BENCH_SOURCE_DIR "/peers") / name};
  for (const fs::path& place : places) {
    if (fs::is_regular_file(place, ignored)) return place;
  }
  return std::nullopt;
}

std::vector<std::string> command_line(const fs::path& helper, const Case& what, double seconds) {
  std::vector<std::string> words;
  if (is_torch(what)) {
    words = {kPython, helper, "--name", what.name};
  } else {
    words = {helper};
  }
  const std::vector<std::pair<const char*, std::string>> options = {
      {"--mode", std::string(to_string(what.mode))}, {"--batch", std::to_string(what.batch)},
      {"--units", std::to_string(what.units)},       {"--inputs", std::to_string(what.inputs)},
      {"--steps", std::to_string(what.steps)},       {"--threads", std::to_string(what.threads)},
      {"--seconds", fmt::format("{}", seconds)}};
  for (const auto& [name, value] : options) words.insert(words.end(), {name, value});
  return words;
}

int execute(std::vector<std::string> words) {
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  ::execv(arguments[0], arguments.data());
  fmt::print(stderr, "{}: {}\n", words[0], std::generic_category().message(errno));
  return kCannotRun;
}

}  // namespace

Peers::Peers(double limit_seconds, std::function<void(const std::string&)> say)
    : limit_seconds_(limit_seconds), say_(std::move(say)) {}

std::optional<Sample> Peers::measure(const Case& what, double seconds) {
  const std::string helper_name = is_torch(what) ? kTorchHelper : kOnednnHelper;
  const auto helper = find_helper(helper_name);
  if (!helper) {
    return leave_out(what.name, fmt::format("{} is neither beside the program nor in "
                                            "../libexec/rwa ('make bench' builds it)",
                                            helper_name));
  }
  const auto words = command_line(*helper, what, seconds);
  const Outcome outcome = run_child([&] { return execute(words); }, limit_seconds_);
  if (!outcome.succeeded()) return explain_failure(what, outcome);
  pass_on_warnings(outcome);
  if (const auto sample = parse_sample(outcome.out)) return sample;
  return leave_out(describe(what), fmt::format("{} gave no answer", helper_name));
}

std::optional<Sample> Peers::explain_failure(const Case& what, const Outcome& outcome) {
  if (outcome.timed_out) {
    pass_on_warnings(outcome);  // such as why it is slow
    return leave_out(describe(what), fmt::format("not done after {} seconds", limit_seconds_));
  }
  if (is_torch(what) && outcome.exited_with(kNoTorch)) {
    return leave_out(what.name, "python3-torch is not installed ('make bench' does)");
  }
  if (outcome.exited_with(kCannotRun)) return leave_out(what.name, outcome.failure());
  return leave_out(describe(what), outcome.failure());
}

std::optional<Sample> Peers::leave_out(const std::string& what, const std::string& reason) {
  say_once(fmt::format("{}: left out, {}", what, reason));
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

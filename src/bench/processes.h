// src/bench/processes.h: work done in a child process, so that one measurement's memory, threads
// and failure are its own: of this program, and of helper programs (src/bench/peers/) that measure
// what `rwa` does not link.
#pragma once

#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace rwa::bench {

constexpr double kNoLimit = std::numeric_limits<double>::infinity();

struct Outcome {
  int status = 0;  // as waitpid() reports it
  bool timed_out = false;
  std::string out;  // what it wrote to stdout
  std::string err;  // and to stderr

  [[nodiscard]] bool succeeded() const { return status == 0 && !timed_out; }
  [[nodiscard]] bool exited_with(int code) const;
  // In words, such as "killed by signal 9" or the last line of stderr.
  [[nodiscard]] std::string failure() const;
};

// Runs body in a forked child whose exit code is what it returns; it is killed after limit_seconds.
// This process must have a single thread: the locks of others would stay locked in the child.
// Throws ResourceError when there can be no child.
Outcome run_child(const std::function<int()>& body, double limit_seconds = kNoLimit);

constexpr int kCannotRun = 127;  // exit code where there is no such program or it lacks a library

// In the build tree beside the program, in the source tree, or where it was installed.
std::optional<std::filesystem::path> find_helper(const std::string& name);
// The sentence for those that are not found.
std::string not_found(const std::string& name);

// The first word is the program; one without a slash is looked for as a shell does. Throws
// ResourceError when there can be no child.
Outcome run_helper(const std::vector<std::string>& words, double limit_seconds);

}  // namespace rwa::bench

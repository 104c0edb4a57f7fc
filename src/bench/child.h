// src/bench/child.h: work done in a child process, so that one measurement's memory, threads and
// failure are its own.
#pragma once

#include <functional>
#include <limits>
#include <string>

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

}  // namespace rwa::bench

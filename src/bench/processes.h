// src/bench/processes.h: runs a measurement in a child process, to isolate its memory, threads and
// failures: a function of this program, or a helper program (src/bench/peers/) for what `rwa` does
// not link.
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
  std::string out;  // stdout
  std::string err;  // stderr

  [[nodiscard]] bool succeeded() const { return status == 0 && !timed_out; }
  [[nodiscard]] bool exited_with(int code) const;
  // The reason, such as "killed by signal 9" or the last line of stderr.
  [[nodiscard]] std::string failure() const;
};

// Runs `body` in a forked child, which exits with its result and is killed after limit_seconds.
// This process must have a single thread: locks held by other threads would stay locked in the
// child. Throws ResourceError if no child can be started.
Outcome run_child(const std::function<int()>& body, double limit_seconds = kNoLimit);

constexpr int kCannotRun = 127;  // exit code if the program or one of its libraries is missing

// Looks beside the program, and where it was installed.
std::optional<std::filesystem::path> find_helper(const std::string& name);
// The message for a helper that was not found.
std::string not_found(const std::string& name);

// Runs the program words[0]; without a slash, it is searched for in PATH. Throws ResourceError if
// no child can be started.
Outcome run_helper(const std::vector<std::string>& words, double limit_seconds);

}  // namespace rwa::bench

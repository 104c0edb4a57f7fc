// src/bench/processes.cc: fork, two pipes and a deadline; the search for a helper, and exec.
#include "bench/processes.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <exception>
#include <system_error>

#include <fmt/format.h>

#include "io/descriptor.h"
#include "rwa/errors.h"

namespace rwa::bench {
namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void throw_refusal(const char* operation, int error) {
  throw ResourceError(fmt::format("cannot {} for a measurement: {}", operation,
                                  std::generic_category().message(error)));
}

struct Pipe {
  Pipe() : Pipe(make()) {}

  io::Descriptor read;
  io::Descriptor write;

 private:
  explicit Pipe(const std::array<int, 2>& ends) : read(ends[0]), write(ends[1]) {}

  static std::array<int, 2> make() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw_refusal("open a pipe", errno);
    return ends;
  }
};

// _exit, not exit: the parent's buffers and atexit handlers must not run a second time.
[[noreturn]] void be_the_child(const std::function<int()>& body, const Pipe& out, const Pipe& err) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // an interrupted bench leaves nothing running behind
  int code = 1;
  if (::dup2(out.write.get(), STDOUT_FILENO) >= 0 && ::dup2(err.write.get(), STDERR_FILENO) >= 0) {
    try {
      code = body();
    } catch (const std::bad_alloc&) {
      fmt::print(stderr, "not enough memory\n");
    } catch (const std::exception& error) {
      fmt::print(stderr, "{}\n", error.what());
    }
  }
  if (std::fflush(stdout) != 0) code = 1;
  ::_exit(code);
}

int milliseconds_until(Clock::time_point deadline) {
  const std::chrono::duration<double, std::milli> left = deadline - Clock::now();
  return static_cast<int>(std::ceil(std::clamp(left.count(), 0.0, 1e9)));
}

// Appends what is available to `text`. Returns false at the end of the stream.
bool read_some(int descriptor, std::string& text) {
  std::array<char, 4096> buffer;
  const ssize_t count =
      io::repeat_if_interrupted([&] { return ::read(descriptor, buffer.data(), buffer.size()); });
  if (count <= 0) return false;
  text.append(buffer.data(), static_cast<std::size_t>(count));
  return true;
}

// Reads both streams at once: a child blocked on a full stderr would never finish its stdout.
// Returns false on timeout.
bool collect(const Pipe& out, const Pipe& err, double limit_seconds, Outcome& outcome) {
  const bool limited = std::isfinite(limit_seconds);
  const auto deadline =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(
                         std::chrono::duration<double>(limited ? limit_seconds : 0));
  std::array<pollfd, 2> streams{{{out.read.get(), POLLIN, 0}, {err.read.get(), POLLIN, 0}}};
  const std::array<std::string*, 2> texts{&outcome.out, &outcome.err};
  while (streams[0].fd >= 0 || streams[1].fd >= 0) {
    const int ready = io::repeat_if_interrupted(
        [&] { return ::poll(streams.data(), 2, limited ? milliseconds_until(deadline) : -1); });
    if (ready == 0) return false;
    if (ready < 0) throw_refusal("wait", errno);
    for (std::size_t i = 0; i < 2; ++i) {
      // poll() ignores negative descriptors.
      if (streams[i].revents != 0 && !read_some(streams[i].fd, *texts[i])) streams[i].fd = -1;
    }
  }
  return true;
}

std::string last_line(std::string text) {
  text.erase(text.find_last_not_of('\n') + 1);
  return text.substr(text.find_last_of('\n') + 1);
}

}  // namespace

bool Outcome::exited_with(int code) const {
  return !timed_out && WIFEXITED(status) && WEXITSTATUS(status) == code;
}

std::string Outcome::failure() const {
  if (timed_out) return "timed out";
  if (WIFSIGNALED(status)) return fmt::format("killed by signal {}", WTERMSIG(status));
  if (!last_line(err).empty()) return last_line(err);
  return fmt::format("exit status {}", WEXITSTATUS(status));
}

Outcome run_child(const std::function<int()>& body, double limit_seconds) {
  Pipe out;
  Pipe err;
  const pid_t child = ::fork();
  if (child < 0) throw_refusal("start a process", errno);
  if (child == 0) be_the_child(body, out, err);
  out.write.close();
  err.write.close();
  Outcome outcome;
  outcome.timed_out = !collect(out, err, limit_seconds, outcome);
  if (outcome.timed_out) ::kill(child, SIGKILL);
  if (io::repeat_if_interrupted([&] { return ::waitpid(child, &outcome.status, 0); }) < 0) {
    throw_refusal("wait", errno);
  }
  return outcome;
}

namespace {

namespace fs = std::filesystem;

int execute(std::vector<std::string> words) {
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  ::execvp(arguments[0], arguments.data());
  fmt::print(stderr, "{}: {}\n", words[0], std::generic_category().message(errno));
  return kCannotRun;
}

}  // namespace

std::optional<fs::path> find_helper(const std::string& name) {
  std::error_code ignored;
  const fs::path folder = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  const std::array places = {folder / name, folder.parent_path() / "libexec" / "rwa" / name};
  for (const fs::path& place : places) {
    if (fs::is_regular_file(place, ignored)) return place;
  }
  return std::nullopt;
}

std::string not_found(const std::string& name) {
  return fmt::format(
      "{} is neither beside the program nor in ../libexec/rwa ('make bench' builds it)", name);
}

Outcome run_helper(const std::vector<std::string>& words, double limit_seconds) {
  return run_child([&] { return execute(words); }, limit_seconds);
}

}  // namespace rwa::bench

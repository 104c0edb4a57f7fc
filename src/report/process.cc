// src/report/process.cc: the three streams are files in memory, filled before the program starts
// and read after it ends. Pipes would have to be served while it runs, and may break.
#include "report/process.h"

#include <spawn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <span>
#include <sstream>

#include <fmt/format.h>

#include "io/descriptor.h"
#include "io/write.h"
#include "report/text.h"
#include "rwa/errors.h"

namespace rwa::report {
namespace {

using io::repeat_if_interrupted;

class MemoryFile {
 public:
  explicit MemoryFile(const std::string& program)
      : program_(program), descriptor_(::memfd_create("rwa-report", MFD_CLOEXEC)) {
    if (!descriptor_.is_open()) io::throw_refusal("open a stream for it", program_, errno);
  }

  [[nodiscard]] int get() const { return descriptor_.get(); }

  void fill(std::string_view text) {
    io::write_all(descriptor_, std::as_bytes(std::span(text)), "the input of " + program_);
    ::lseek(get(), 0, SEEK_SET);
  }

  [[nodiscard]] std::string content() const {
    struct stat status {};
    if (::fstat(get(), &status) != 0) io::throw_refusal("read its output", program_, errno);
    std::string text(static_cast<std::size_t>(status.st_size), '\0');
    std::size_t done = 0;
    while (done < text.size()) {
      const ssize_t count = repeat_if_interrupted([&] {
        return ::pread(get(), text.data() + done, text.size() - done, static_cast<off_t>(done));
      });
      if (count <= 0) io::throw_refusal("read its output", program_, errno);
      done += static_cast<std::size_t>(count);
    }
    return text;
  }

 private:
  std::string program_;
  io::Descriptor descriptor_;
};

struct Streams {
  explicit Streams(const std::string& program) : in(program), out(program), err(program) {}
  MemoryFile in, out, err;
};

pid_t start(const std::vector<std::string>& command, const Streams& streams) {
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  // posix_spawnp() takes non-const strings but does not change them.
  for (const std::string& text : command) arguments.push_back(const_cast<char*>(text.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, streams.in.get(), STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, streams.out.get(), STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, streams.err.get(), STDERR_FILENO);
  pid_t child = 0;
  const int error =
      ::posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) io::throw_refusal("start it", command[0], error);
  return child;
}

}  // namespace

bool is_installed(std::string_view name) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (::access(fmt::format("{}/{}", folder, name).c_str(), X_OK) == 0) return true;
  }
  return false;
}

std::string run_program(const std::vector<std::string>& command, std::string_view input) {
  Streams streams(command[0]);
  streams.in.fill(input);
  const pid_t child = start(command, streams);
  int status = 0;
  if (repeat_if_interrupted([&] { return ::waitpid(child, &status, 0); }) < 0) {
    io::throw_refusal("wait for it", command[0], errno);
  }
  if (status != 0) {
    const std::string how = WIFSIGNALED(status)
                                ? fmt::format("was killed by signal {}", WTERMSIG(status))
                                : fmt::format("failed with status {}", WEXITSTATUS(status));
    throw ResourceError(fmt::format("{} {}: {}", command[0], how, one_line(streams.err.content())));
  }
  return streams.out.content();
}

}  // namespace rwa::report

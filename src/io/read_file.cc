// src/io/read_file.cc: plain read() calls rather than a mapping, which would turn a file cut short
// by another process into a SIGBUS.
#include "io/read_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/descriptor.h"

namespace rwa::io {
namespace {

std::size_t regular_file_size(int descriptor, const std::filesystem::path& file) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) throw_refusal("inspect", file, errno);
  if (S_ISDIR(status.st_mode)) throw_refusal("read", file, EISDIR);
  if (!S_ISREG(status.st_mode)) {
    throw ResourceError(fmt::format(
        "{}: cannot read: found a pipe, socket or device, expected a regular file", file.string()));
  }
  return static_cast<std::size_t>(status.st_size);
}

}  // namespace

std::vector<std::byte> read_file(const std::filesystem::path& file) {
  // O_NONBLOCK: opening a pipe that has no writer would otherwise wait for one.
  const Descriptor descriptor(repeat_if_interrupted(
      [&] { return ::open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC); }));
  if (!descriptor.is_open()) throw_refusal("open", file, errno);

  std::vector<std::byte> content(regular_file_size(descriptor.get(), file));
  std::size_t done = 0;
  while (done < content.size()) {
    const ssize_t count = repeat_if_interrupted(
        [&] { return ::read(descriptor.get(), content.data() + done, content.size() - done); });
    if (count < 0) throw_refusal("read", file, errno);
    if (count == 0) {
      throw ResourceError(
          fmt::format("{}: cannot read: found the end after {} bytes, expected {}: the file was "
                      "changed meanwhile",
                      file.string(), done, content.size()));
    }
    done += static_cast<std::size_t>(count);
  }
  return content;
}

}  // namespace rwa::io

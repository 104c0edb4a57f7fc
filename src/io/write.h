// src/io/write.h: opens and writes files.
#pragma once

#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <span>

#include <fcntl.h>
#include <unistd.h>

#include "io/descriptor.h"
#include "rwa/errors.h"

namespace rwa::io {

// The reader of a pipe is gone, as in `rwa predict ... | head`, and SIGPIPE is ignored.
class ClosedPipe : public ResourceError {
 public:
  using ResourceError::ResourceError;
};

// Creates the file if it does not exist. Throws ResourceError.
inline Descriptor open_to_append(const std::filesystem::path& file) {
  Descriptor descriptor(repeat_if_interrupted(
      [&] { return ::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666); }));
  if (!descriptor.is_open()) throw_refusal("open", file, errno);
  return descriptor;
}

// Throws ResourceError, naming `file`, or ClosedPipe; some of the bytes may then be written.
inline void write_all(const Descriptor& descriptor, std::span<const std::byte> bytes,
                      const std::filesystem::path& file) {
  while (!bytes.empty()) {
    const ssize_t count = repeat_if_interrupted(
        [&] { return ::write(descriptor.get(), bytes.data(), bytes.size()); });
    if (count < 0 && errno == EPIPE)
      throw ClosedPipe(file.string() + ": nothing reads it any more");
    if (count < 0) throw_refusal("write", file, errno);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
}

}  // namespace rwa::io

// src/io/read_file.cc: uses read() rather than a mapping, which would raise SIGBUS if another
// process truncates the file.
#include "io/read_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace rwa::io {
namespace {

// O_NONBLOCK: otherwise opening a pipe would wait for a writer.
int open_to_read(const std::filesystem::path& file) {
  return repeat_if_interrupted(
      [&] { return ::open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC); });
}

std::uint64_t regular_file_size(int descriptor, const std::filesystem::path& file) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) throw_refusal("inspect", file, errno);
  if (S_ISDIR(status.st_mode)) throw_refusal("read", file, EISDIR);
  if (!S_ISREG(status.st_mode)) {
    throw ResourceError(fmt::format(
        "{}: cannot read: found a pipe, socket or device, expected a regular file", file.string()));
  }
  return static_cast<std::uint64_t>(status.st_size);
}

std::string rest_of(InputFile input) {
  std::string text(input.size(), '\0');
  input.read(std::as_writable_bytes(std::span(text)));
  return text;
}

}  // namespace

InputFile::InputFile(const std::filesystem::path& file)
    : file_(file), descriptor_(open_to_read(file)) {
  if (!descriptor_.is_open()) throw_refusal("open", file, errno);
  size_ = regular_file_size(descriptor_.get(), file);
}

void InputFile::read(std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = repeat_if_interrupted(
        [&] { return ::read(descriptor_.get(), bytes.data(), bytes.size()); });
    if (count < 0) throw_refusal("read", file_, errno);
    if (count == 0) {
      throw ResourceError(fmt::format(
          "{}: cannot read: found the end after {} bytes, expected {}: the file changed "
          "while it was read",
          file_.string(), done_, size_));
    }
    done_ += static_cast<std::uint64_t>(count);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
}

std::string read_whole(const std::filesystem::path& file) { return rest_of(InputFile(file)); }

std::string read_text(const std::filesystem::path& file) {
  InputFile input(file);
  if (input.size() > kMostText) {
    throw InputError(fmt::format("{}: found {} bytes, expected at most {}: is it the right file?",
                                 file.string(), input.size(), kMostText));
  }
  return rest_of(std::move(input));
}

}  // namespace rwa::io

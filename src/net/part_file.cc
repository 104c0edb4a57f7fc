#include "net/part_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace rwa::net {
namespace {

int open_to_append(const std::filesystem::path& path) {
  return io::repeat_if_interrupted(
      [&] { return ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666); });
}

}  // namespace

PartFile::PartFile(std::filesystem::path path)
    : path_(std::move(path)), descriptor_(open_to_append(path_)) {
  if (!descriptor_.is_open()) io::throw_refusal("open", path_, errno);
  // The lock is the system's: it goes with the process, however that ends.
  if (::flock(descriptor_.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) io::throw_refusal("lock", path_, errno);
    throw ResourceError(fmt::format("{}: another process is downloading it", path_.string()));
  }
  struct stat status {};
  if (::fstat(descriptor_.get(), &status) != 0) io::throw_refusal("inspect", path_, errno);
  size_ = static_cast<std::uint64_t>(status.st_size);
}

PartFile::~PartFile() {
  if (size_ == 0) ::unlink(path_.c_str());
}

void PartFile::append(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = io::repeat_if_interrupted(
        [&] { return ::write(descriptor_.get(), bytes.data(), bytes.size()); });
    if (count < 0) io::throw_refusal("write", path_, errno);
    size_ += static_cast<std::uint64_t>(count);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
}

void PartFile::clear() {
  if (::ftruncate(descriptor_.get(), 0) != 0) io::throw_refusal("empty", path_, errno);
  size_ = 0;
}

}  // namespace rwa::net

#include "paper/part_file.h"

#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/write.h"

namespace rwa::paper {
namespace {

std::uint64_t size_of(const io::Descriptor& descriptor, const std::filesystem::path& path) {
  struct stat status {};
  if (::fstat(descriptor.get(), &status) != 0) io::throw_refusal("inspect", path, errno);
  return static_cast<std::uint64_t>(status.st_size);
}

io::Descriptor open_and_lock(const std::filesystem::path& path) {
  while (true) {
    io::Descriptor descriptor = io::open_to_append(path);
    // The lock is the system's: it goes with the process, however that ends.
    if (::flock(descriptor.get(), LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK) io::throw_refusal("lock", path, errno);
      throw ResourceError(fmt::format("{}: another process is downloading it", path.string()));
    }
    // The process that had it may have removed it between the two calls.
    if (::access(path.c_str(), F_OK) == 0) return descriptor;
  }
}

}  // namespace

PartFile::PartFile(std::filesystem::path path)
    : path_(std::move(path)),
      descriptor_(open_and_lock(path_)),
      size_(size_of(descriptor_, path_)) {}

PartFile::~PartFile() {
  if (size_ == 0) ::unlink(path_.c_str());
}

void PartFile::append(std::span<const std::byte> bytes) {
  io::write_all(descriptor_, bytes, path_);
  size_ += bytes.size();
}

void PartFile::clear() {
  if (::ftruncate(descriptor_.get(), 0) != 0) io::throw_refusal("empty", path_, errno);
  size_ = 0;
}

}  // namespace rwa::paper

#include "datasets/store_file.h"

#include <cstdlib>
#include <string>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "rwa/errors.h"

namespace rwa::datasets {
namespace {
namespace fs = std::filesystem;

// Not every file system offers files that never had a name.
io::Descriptor open_nameless(const fs::path& folder) {
  io::Descriptor nameless(io::repeat_if_interrupted(
      [&] { return ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600); }));
  if (nameless.is_open()) return nameless;
  std::string name = (folder / ".rwa-XXXXXX").string();
  io::Descriptor named(::mkostemp(name.data(), O_CLOEXEC));
  if (!named.is_open()) io::throw_refusal("create a temporary file in it", folder, errno);
  if (::unlink(name.c_str()) != 0) io::throw_refusal("remove", name, errno);
  return named;
}
}  // namespace

NamelessFile::NamelessFile(fs::path folder, const Keeper& keeper)
    : name_(fmt::format("the temporary file of rank {}", keeper.rank())) {
  if (!keeper.is_here()) return;
  if (folder.empty()) folder = ".";
  name_ = fmt::format("a temporary file in {}", folder.string());
  descriptor_.emplace(open_nameless(folder));
}

void NamelessFile::append(std::span<const std::byte> bytes) {
  if (!descriptor_) {  // the keeper writes it
    size_ += bytes.size();
    return;
  }
  while (!bytes.empty()) {
    const ssize_t count = io::repeat_if_interrupted([&] {
      return ::pwrite(descriptor_->get(), bytes.data(), bytes.size(), static_cast<off_t>(size_));
    });
    if (count < 0) {
      const int error = errno;
      throw ResourceError(fmt::format(
          "{}: cannot write the sequences, which do not fit into memory: after {} bytes: {}", name_,
          size_, std::generic_category().message(error)));
    }
    size_ += static_cast<std::uint64_t>(count);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
}

void NamelessFile::read(std::uint64_t place, std::span<std::byte> bytes) const {
  while (!bytes.empty()) {
    const ssize_t count = io::repeat_if_interrupted([&] {
      return ::pread(descriptor_->get(), bytes.data(), bytes.size(), static_cast<off_t>(place));
    });
    if (count < 0) io::throw_refusal("read", name_, errno);
    if (count == 0) {
      throw ResourceError(
          fmt::format("{} ends at byte {}, expected {} more", name_, place, bytes.size()));
    }
    place += static_cast<std::uint64_t>(count);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
}

}  // namespace rwa::datasets

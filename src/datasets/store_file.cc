#include "datasets/store_file.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/folder.h"
#include "rwa/errors.h"

namespace rwa::datasets {
namespace {
namespace fs = std::filesystem;

// Uses the process number of /proc, which in a container may differ from getpid().
std::string own_folder() {
  std::error_code error;
  return "/proc/" + fs::read_symlink("/proc/self", error).string();
}

// Falls back to a removed named file: not every file system supports O_TMPFILE.
io::Descriptor open_nameless(const fs::path& wanted) {
  if (wanted.empty()) {
    io::Descriptor in_memory(::memfd_create("rwa", MFD_CLOEXEC));
    if (!in_memory.is_open()) io::throw_refusal("create", "a file in memory", errno);
    return in_memory;
  }
  const fs::path folder = io::existing_part(wanted);
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

// Processes see each other if they share a running kernel and a PID namespace. To open each other's
// files they must also share a user namespace, which containers of one user often do not.
std::string this_machine() {
  std::string machine;
  std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), machine);
  for (const char* space : {"/proc/self/ns/pid", "/proc/self/ns/user"}) {
    std::error_code error;
    const fs::path name = fs::read_symlink(space, error);
    if (error || machine.empty()) return {};
    machine += " " + name.string();
  }
  return machine;
}

Keeper::Keeper(Link* link, const std::string& machine) : ranks_(link), rank_(ranks_.rank()) {
  const std::vector<std::string> machines = ranks_.gather(machine);
  if (machine.empty()) return;
  rank_ = static_cast<int>(std::ranges::find(machines, machine) - machines.begin());
}

void Keeper::share(std::optional<io::Descriptor>& file, std::uint64_t size) {
  const std::string own = file ? fmt::format("{}/fd/{}", own_folder(), file->get()) : "";
  const std::vector<std::string> paths = ranks_.gather(own);
  if (!file) file.emplace(open(paths[static_cast<std::size_t>(rank_)], size));
  ranks_.meet();  // keepers must not close their files earlier
}

io::Descriptor Keeper::open(const std::string& path, std::uint64_t size) const {
  io::Descriptor file(
      io::repeat_if_interrupted([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC); }));
  struct stat found {};
  if (!file.is_open() || ::fstat(file.get(), &found) != 0) {
    const int error = errno;
    io::throw_refusal(fmt::format("open the sequences stored by rank {}", rank_), path, error);
  }
  if (static_cast<std::uint64_t>(found.st_size) != size) {
    throw ResourceError(
        fmt::format("{}: found {} bytes of the sequences stored by rank {}, expected {}", path,
                    found.st_size, rank_, size));
  }
  return file;
}

NamelessFile::NamelessFile(const fs::path& folder, const Keeper& keeper)
    : name_(fmt::format("the temporary file of rank {}", keeper.rank())) {
  if (!keeper.is_here()) return;
  name_ = fmt::format("a temporary file in {}", folder.empty() ? "memory" : folder.string());
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
          "{}: cannot write the sequences, which do not fit into memory: {} (after {} bytes)",
          name_, std::generic_category().message(error), size_));
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

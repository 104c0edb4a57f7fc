#include "datasets/store_keeper.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include "rwa/errors.h"

namespace rwa::datasets {
namespace {
namespace fs = std::filesystem;

// As /proc numbers the processes, which in a container need not be as getpid() does.
std::string own_folder() {
  std::error_code error;
  return "/proc/" + fs::read_symlink("/proc/self", error).string();
}
}  // namespace

// Processes see each other in one PID namespace of one running kernel; to open each other's files
// they must be in one user namespace too, which containers of one user often are not.
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
  ranks_.meet();  // before that a keeper must not close its file
}

io::Descriptor Keeper::open(const std::string& path, std::uint64_t size) const {
  io::Descriptor file(
      io::repeat_if_interrupted([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC); }));
  struct stat found {};
  if (!file.is_open() || ::fstat(file.get(), &found) != 0) {
    const int error = errno;
    io::throw_refusal(fmt::format("open the sequences that rank {} keeps", rank_), path, error);
  }
  if (static_cast<std::uint64_t>(found.st_size) != size) {
    throw ResourceError(
        fmt::format("{}: found {} bytes of the sequences that rank {} keeps, expected {}", path,
                    found.st_size, rank_, size));
  }
  return file;
}

}  // namespace rwa::datasets

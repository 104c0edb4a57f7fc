#include "io/folder.h"

#include <system_error>

#include <fmt/format.h>
#include <unistd.h>

#include "io/descriptor.h"

namespace rwa::io {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCreate = "create the folder";

}  // namespace

fs::path existing_part(const fs::path& folder) {
  std::error_code refused;  // what cannot be looked at is taken for missing
  fs::path part = folder;
  while (!part.empty() && !fs::exists(part, refused) && part != part.parent_path()) {
    part = part.parent_path();
  }
  return part.empty() ? "." : part;
}

void check_can_write(const fs::path& folder) {
  const fs::path part = existing_part(folder);
  std::error_code refused;
  if (!fs::is_directory(part, refused)) throw_refusal(kCreate, folder, ENOTDIR);
  if (::access(part.c_str(), W_OK | X_OK) == 0) return;
  throw_refusal(part == folder ? "write into this folder" : kCreate, folder, errno);
}

void create_folders(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw_refusal(kCreate, folder, error.value());
}

void remove_empty_folders(const fs::path& folder, const fs::path& kept) {
  for (fs::path part = folder; !part.empty() && part != kept; part = part.parent_path()) {
    if (::rmdir(part.c_str()) != 0) return;
  }
}

ResourceError refusal(const fs::filesystem_error& error) {
  return ResourceError(
      fmt::format("{}: cannot access: {}", error.path1().string(), error.code().message()));
}

}  // namespace rwa::io

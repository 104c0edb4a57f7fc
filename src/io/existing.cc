#include "io/existing.h"

#include <algorithm>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/nearest.h"
#include "io/quote.h"
#include "rwa/errors.h"

namespace rwa::io {
namespace {

namespace fs = std::filesystem;

// What is in the folder where the path should be, as far as it can be read.
std::vector<std::string> names_beside(const fs::path& path) {
  std::vector<std::string> names;
  const fs::path folder = path.has_parent_path() ? path.parent_path() : ".";
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    std::string name = entry->path().filename().string();
    if (!name.starts_with('.')) names.push_back(std::move(name));
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace

void require_existing(const fs::path& path) {
  std::error_code error;
  if (fs::exists(path, error)) return;
  const auto near = nearest(path.filename().string(), names_beside(path));
  throw ConfigError(fmt::format(
      "{}: no such file or folder{}", escape(path.string()),
      near.empty()
          ? ""
          : fmt::format(", did you mean {}?", escape(fmt::to_string(fmt::join(near, " or "))))));
}

}  // namespace rwa::io

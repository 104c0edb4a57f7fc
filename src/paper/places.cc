#include "paper/places.h"

#include <algorithm>
#include <cstdlib>
#include <optional>

#include <fmt/format.h>

#include "paper/authors_logs.h"
#include "paper/mnist_files.h"
#include "rwa/errors.h"

namespace rwa::paper {
namespace {

namespace fs = std::filesystem;

fs::path variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

bool is_present(const fs::path& file) {
  std::error_code ignored;  // a folder that cannot be looked into has nothing for us
  return fs::exists(file, ignored);
}

std::optional<fs::path> cache_folder_if_any() {
  // A relative one is to be ignored, says the standard for these folders.
  if (const fs::path cache = variable("XDG_CACHE_HOME"); cache.is_absolute()) return cache / "rwa";
  if (const fs::path home = variable("HOME"); !home.empty()) return home / ".cache" / "rwa";
  return std::nullopt;
}

bool has_mnist(const fs::path& folder) {
  return std::ranges::all_of(kMnistFiles, [&](const MnistFile& file) {
    return is_present(folder / file.name) || is_present(folder / fmt::format("{}.gz", file.name));
  });
}

bool has_a_curve(const fs::path& folder) {
  return std::ranges::any_of(authors_logs(), [&](const AuthorsLog& log) {
    return is_present(folder / fmt::format("{}.csv", log.curve));
  });
}

}  // namespace

fs::path cache_folder() {
  if (const auto folder = cache_folder_if_any()) return *folder;
  throw ConfigError(
      "there is no folder for downloads: neither XDG_CACHE_HOME nor HOME names one, and neither "
      "--data, --out nor RWA_DATA was given");
}

fs::path find_mnist(const fs::path& asked) {
  const fs::path named = !asked.empty() ? asked : variable("RWA_DATA");
  const fs::path folder = !named.empty() ? named : cache_folder();
  for (const fs::path& place : {folder, folder / "mnist"}) {
    if (has_mnist(place)) return place;
  }
  throw ConfigError(
      fmt::format("MNIST is not in {} nor in its folder mnist. `rwa paper data mnist` downloads it "
                  "into the cache; or {}.",
                  folder.string(), mnist_by_hand(folder)));
}

fs::path find_curves(const fs::path& asked) {
  if (!asked.empty()) {
    std::error_code ignored;
    if (fs::is_directory(asked, ignored)) return asked;
    throw ConfigError(fmt::format(
        "{}: found no folder there, expected one with the authors' curves", asked.string()));
  }
  const auto cache = cache_folder_if_any();
  return cache && has_a_curve(*cache / "curves") ? *cache / "curves" : fs::path();
}

}  // namespace rwa::paper

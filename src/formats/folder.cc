#include "formats/folder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <string_view>
#include <system_error>

#include "base/nearest.h"
#include "io/quote.h"
#include "rwa/errors.h"

namespace rwa::formats {
namespace {
namespace fs = std::filesystem;

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

std::string quoted(const fs::path& path) { return io::escape(path.string()); }

std::vector<fs::path> content(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> paths;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    paths.push_back(entry->path());
  }
  if (error)
    throw ResourceError(fmt::format("cannot read {}: {}", quoted(folder), error.message()));
  std::ranges::sort(paths);
  return paths;
}

[[noreturn]] void refuse_missing(const fs::path& path) {
  std::vector<std::string> names;
  const fs::path folder = path.has_parent_path() ? path.parent_path() : ".";
  if (is_folder(folder)) {
    for (const fs::path& other : content(folder)) names.push_back(other.filename().string());
  }
  const std::vector<std::string> near = nearest(path.filename().string(), names);
  throw ConfigError(
      fmt::format("there is no {}{}", quoted(path),
                  near.empty() ? ""
                               : fmt::format(", did you mean {}?",
                                             io::escape(fmt::to_string(fmt::join(near, " or "))))));
}

// A file that is not about sequences would be read as lines of text.
void check_is_data(const fs::path& file) {
  const std::string name = lower(file.filename().string());
  const bool other = name.starts_with('.') || name.starts_with("readme") ||
                     name.starts_with("license") || name.ends_with(".md");
  if (!other) return;
  throw InputError(fmt::format(
      "{}: found in the folder, expected nothing but data; move it, or name the files one by one",
      quoted(file)));
}

void add_files(const fs::path& folder, DataFiles& found) {
  const std::vector<fs::path> paths = content(folder);
  if (paths.empty()) {
    throw InputError(fmt::format("{}: found an empty folder, expected files", quoted(folder)));
  }
  for (const fs::path& path : paths) {
    check_is_data(path);
    if (is_folder(path)) {
      throw InputError(
          fmt::format("{}: found a folder beside files or too deep, expected files, or "
                      "folders of files alone",
                      quoted(path)));
    }
    found.files.push_back(path);
  }
}

void add_folder(const fs::path& folder, DataFiles& found) {
  const std::vector<fs::path> paths = content(folder);
  const bool folders = !paths.empty() && std::ranges::all_of(paths, is_folder);
  if (!folders) return add_files(folder, found);
  found.in_folders = true;
  for (const fs::path& path : paths) {
    check_is_data(path);
    add_files(path, found);
  }
}

fs::path unpacked_name(const fs::path& file) {
  const std::string packed = lower(file.extension().string());
  return packed == ".gz" || packed == ".zst" ? file.stem() : file.filename();
}
}  // namespace

DataFiles find_files(std::span<const fs::path> paths) {
  DataFiles found;
  for (const fs::path& path : paths) {
    std::error_code ignored;
    if (path == "-") {
      found.files.push_back(path);
    } else if (is_folder(path)) {
      add_folder(path, found);
    } else if (fs::exists(path, ignored)) {
      found.files.push_back(path);
    } else {
      refuse_missing(path);
    }
  }
  if (found.files.empty()) throw ConfigError("no file is named, expected at least one");
  return found;
}

std::string name_without_endings(const fs::path& file) {
  return unpacked_name(file).stem().string();
}

std::string name_of_folder(const fs::path& file) {
  std::error_code ignored;
  return fs::absolute(file, ignored).parent_path().filename().string();
}

std::string ending(const fs::path& file) { return lower(unpacked_name(file).extension().string()); }

}  // namespace rwa::formats

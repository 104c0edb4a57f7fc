#include "paper/external_files.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "io/folder.h"
#include "io/quote.h"
#include "io/read_file.h"
#include "io/replace_file.h"
#include "io/sha256.h"
#include "io/unpacked.h"
#include "paper/curves.h"
#include "paper/download.h"
#include "rwa/errors.h"

namespace rwa::paper {
namespace {

namespace fs = std::filesystem;

// How to provide the files by hand; an imperative for messages.
std::string mnist_by_hand(const fs::path& folder) {
  std::array<std::string_view, kMnistFiles.size()> names;
  std::ranges::transform(kMnistFiles, names.begin(), &MnistFile::name);
  return fmt::format(
      "put {} (plain, or gzipped as NAME.gz) into {}, or into a folder given with --data DIR or "
      "RWA_DATA",
      fmt::join(names, ", "), folder.string());
}

// Throws InputError unless the content of the file, gzipped or not, has this SHA-256 and at most
// this many bytes.
void require_content(const fs::path& file, std::uint64_t most_bytes, std::string_view sha256) {
  io::Unpacked input(file);
  io::Sha256 sum;
  std::vector<std::byte> piece(1 << 16);
  std::uint64_t total = 0;
  for (std::size_t count = piece.size(); count == piece.size();) {
    count = input.read(piece);
    total += count;
    if (total > most_bytes) {
      throw InputError(fmt::format("{0}: found more than {1} bytes, expected at most {1}",
                                   file.string(), most_bytes));
    }
    sum.add(std::span(piece).first(count));
  }
  if (const std::string found = sum.hex(); found != sha256) {
    throw InputError(
        fmt::format("{}: found SHA-256 {}, expected {}", file.string(), found, sha256));
  }
}

fs::path variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

bool is_present(const fs::path& file) {
  std::error_code ignored;  // an unreadable folder counts as empty
  return fs::exists(file, ignored);
}

std::optional<fs::path> cache_folder_if_any() {
  // The XDG specification requires that relative paths are ignored.
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
      "no folder for downloads: XDG_CACHE_HOME and HOME are not set; give --data, --out or "
      "RWA_DATA");
}

fs::path find_mnist(const fs::path& asked) {
  const fs::path named = !asked.empty() ? asked : variable("RWA_DATA");
  const fs::path folder = !named.empty() ? named : cache_folder();
  for (const fs::path& place : {folder, folder / "mnist"}) {
    if (has_mnist(place)) return place;
  }
  throw ConfigError(
      fmt::format("MNIST is neither in {0} nor in {0}/mnist: download it with `rwa paper data "
                  "mnist`, or {1}",
                  folder.string(), mnist_by_hand(folder)));
}

fs::path find_curves(const fs::path& asked) {
  if (!asked.empty()) {
    std::error_code ignored;
    if (fs::is_directory(asked, ignored)) return asked;
    throw ConfigError(
        fmt::format("{}: found no folder, expected one with the authors' curves", asked.string()));
  }
  const auto cache = cache_folder_if_any();
  return cache && has_a_curve(*cache / "curves") ? *cache / "curves" : fs::path();
}

void require_mnist(const fs::path& folder) {
  for (const MnistFile& file : kMnistFiles) {
    const fs::path plain = folder / file.name;
    require_content(fs::exists(plain) ? plain : folder / fmt::format("{}.gz", file.name),
                    file.bytes, file.sha256);
  }
}

namespace {

constexpr std::uint64_t kMostLogBytes = 16 << 20;
constexpr std::uint64_t kMostCurveBytes = 1 << 20;

// The source of a set of files. The mirrors in $RWA_MIRROR have each set in a folder of this name.
struct Origin {
  std::string_view name;
  std::vector<std::string> mirrors;
};

const Origin& mnist_origin() {
  static const Origin origin{"mnist",
                             {"https://ossci-datasets.s3.amazonaws.com/mnist",
                              "https://storage.googleapis.com/cvdf-datasets/mnist"}};
  return origin;
}

const Origin& logs_origin() {
  static const Origin origin{"jostmey-rwa",
                             {"https://raw.githubusercontent.com/jostmey/rwa/master"}};
  return origin;
}

// The URLs of one file of the set, one per mirror.
std::vector<std::string> urls(const Origin& origin, std::string_view path) {
  std::vector<std::string> bases;
  const char* variable = std::getenv("RWA_MIRROR");
  std::istringstream own(variable != nullptr ? variable : "");
  for (std::string base; own >> base;) {
    if (!base.starts_with("https://")) {
      throw ConfigError(fmt::format(
          "RWA_MIRROR: found {}, expected https:// URLs separated by spaces", io::quote(base)));
    }
    while (base.ends_with('/')) base.pop_back();
    bases.push_back(fmt::format("{}/{}", base, origin.name));
  }
  if (bases.empty()) bases = origin.mirrors;
  for (std::string& base : bases) base += fmt::format("/{}", path);
  return bases;
}

// Whether the file exists with the expected content. Throws InputError for other content, which may
// be the user's own and must not be overwritten.
bool is_there(const fs::path& file, std::uint64_t most_bytes, std::string_view expected,
              const Say& say) {
  std::error_code ignored;  // opening the file reports the error
  if (!fs::exists(file, ignored)) return false;
  try {
    require_content(file, most_bytes, expected);
  } catch (const InputError& error) {
    throw InputError(
        fmt::format("{}; the file is not overwritten: move it away to download it", error.what()));
  }
  say(fmt::format("{}: already present", file.string()));
  return true;
}

void keep_mnist_file(const MnistFile& wanted, const fs::path& part, const fs::path& file) {
  require_content(part, wanted.bytes, wanted.sha256);
  io::replace_text(file, io::read_whole(part));
}

void download_mnist_file(const MnistFile& wanted, const fs::path& file) {
  paper::download({
      .urls = urls(mnist_origin(), fmt::format("{}.gz", wanted.name)),
      .file = file,
      .most_bytes = wanted.bytes,
      .keep = [&](const fs::path& part) { keep_mnist_file(wanted, part, file); },
      .otherwise = fmt::format("Without a download: {}", mnist_by_hand(file.parent_path())),
  });
}

void keep_curve(const AuthorsLog& wanted, const fs::path& part, const fs::path& file) {
  const std::string curve = to_curve(io::read_whole(part), wanted.unit, wanted.path);
  const std::string found = io::sha256(std::as_bytes(std::span(curve)));
  if (found != wanted.sha256) {
    throw InputError(fmt::format("{}: found a curve with SHA-256 {}, expected {}", wanted.path,
                                 found, wanted.sha256));
  }
  io::replace_text(file, curve);
}

void download_curve(const AuthorsLog& wanted, const fs::path& file) {
  paper::download({
      .urls = urls(logs_origin(), wanted.path),
      .file = file,
      .most_bytes = kMostLogBytes,
      .keep = [&](const fs::path& part) { keep_curve(wanted, part, file); },
      .otherwise =
          "Without a download: reports omit the authors' curves unless --reference DIR gives a "
          "folder with them",
  });
}

}  // namespace

void download_mnist(const fs::path& folder, const Say& say) {
  io::create_folders(folder);
  for (const MnistFile& wanted : kMnistFiles) {
    const fs::path plain = folder / wanted.name;
    const fs::path packed = folder / fmt::format("{}.gz", wanted.name);
    if (is_there(plain, wanted.bytes, wanted.sha256, say)) continue;
    if (is_there(packed, wanted.bytes, wanted.sha256, say)) continue;
    say(fmt::format("{}: downloading", packed.string()));
    download_mnist_file(wanted, packed);
  }
}

void download_curves(const fs::path& folder, const Say& say) {
  io::create_folders(folder);
  for (const AuthorsLog& wanted : authors_logs()) {
    const fs::path file = folder / fmt::format("{}.csv", wanted.curve);
    if (is_there(file, kMostCurveBytes, wanted.sha256, say)) continue;
    say(fmt::format("{}: downloading the authors' log", file.string()));
    download_curve(wanted, file);
  }
}

}  // namespace rwa::paper

#include "formats/array_labels.h"

#include <algorithm>
#include <cctype>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "formats/fit.h"
#include "formats/idx.h"
#include "formats/npy.h"

namespace rwa::formats {
namespace {
namespace fs = std::filesystem;

bool replace(std::string& text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  if (at != std::string::npos) text.replace(at, from.size(), to);
  return at != std::string::npos;
}

// Where x or X stands as a word of its own.
std::size_t find_x(std::string_view name) {
  const auto is_letter = [&](std::size_t i) {
    return i < name.size() && std::isalnum(static_cast<unsigned char>(name[i])) != 0;
  };
  for (std::size_t i = 0; i < name.size(); ++i) {
    const bool alone = !is_letter(i + 1) && (i == 0 || !is_letter(i - 1));
    if (alone && (name[i] == 'x' || name[i] == 'X')) return i;
  }
  return std::string_view::npos;
}

// What the file with the labels may be called, without the ending of a packed one.
std::vector<std::string> names_of_labels(std::string x) {
  for (const std::string_view ending : {".gz", ".zst"}) {
    if (x.ends_with(ending)) x.resize(x.size() - ending.size());
  }
  if (replace(x, "images", "labels")) {
    for (const std::string_view dimensions : {"idx3", "idx2"}) replace(x, dimensions, "idx1");
    return {x};
  }
  const std::size_t at = find_x(x);
  if (at == std::string_view::npos) return {};
  std::vector<std::string> names(2, x);
  names[0][at] = 'y';
  names[1][at] = 'Y';
  return names;
}

std::optional<fs::path> file_beside(const fs::path& x) {
  for (const std::string& name : names_of_labels(x.filename().string())) {
    for (const char* ending : {"", ".gz", ".zst"}) {
      fs::path file = x.parent_path() / (name + ending);
      if (std::error_code ignored; fs::exists(file, ignored)) return file;
    }
  }
  return {};
}

Array open_array(std::unique_ptr<Source> source) {
  if (source->peek(kIdxMagic.size()) == kIdxMagic) return parse_idx(std::move(source));
  const std::string name = source->name();
  return parse_npy(name, bytes_of(std::move(source)));
}
}  // namespace

std::optional<Array> labels_of(const fs::path& x, const Options& options) {
  if (wanted(options) == Target::kNone) return {};
  const std::optional<fs::path> file =
      options.label_from.empty() ? file_beside(x) : std::optional<fs::path>(options.label_from);
  if (!file) return {};
  return open_array(std::make_unique<Source>(*file));
}

std::uint64_t stored_bytes(const fs::path& file) {
  std::error_code error;
  const std::uintmax_t bytes = fs::file_size(file, error);
  return error ? 0 : bytes;
}

}  // namespace rwa::formats

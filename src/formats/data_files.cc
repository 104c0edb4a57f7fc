#include "formats/data_files.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "formats/array.h"
#include "formats/match.h"
#include "formats/other_files.h"
#include "formats/parse.h"
#include "formats/table_rows.h"
#include "io/existing.h"
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

// Without hidden entries, such as .DS_Store.
std::vector<fs::path> content(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> paths;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const bool is_hidden = entry->path().filename().string().starts_with('.');
    if (!is_hidden) paths.push_back(entry->path());
  }
  if (error)
    throw ResourceError(fmt::format("cannot read {}: {}", quoted(folder), error.message()));
  std::ranges::sort(paths);
  return paths;
}

// What tells files apart, whatever their paths.
using FileId = std::pair<dev_t, ino_t>;

// Empty for what cannot be inspected, such as a dangling link.
std::optional<FileId> id_of(const fs::path& file) {
  struct stat status {};
  const int failed = file == "-" ? ::fstat(STDIN_FILENO, &status) : ::stat(file.c_str(), &status);
  return failed != 0 ? std::nullopt : std::optional(FileId(status.st_dev, status.st_ino));
}

// Refuses files that would otherwise be read as lines of text.
void check_is_data(const fs::path& file) {
  const std::string name = lower(file.filename().string());
  const bool other =
      name.starts_with("readme") || name.starts_with("license") || name.ends_with(".md");
  if (!other) return;
  throw InputError(fmt::format(
      "{}: does not look like data, expected only data files in the folder: move it elsewhere, or "
      "pass the data files instead of the folder",
      quoted(file)));
}

void add_files(const fs::path& folder, DataFiles& found) {
  const std::vector<fs::path> paths = content(folder);
  if (paths.empty()) {
    throw InputError(fmt::format("{}: found an empty folder, expected data files", quoted(folder)));
  }
  for (const fs::path& path : paths) {
    check_is_data(path);
    if (is_folder(path)) {
      throw InputError(fmt::format(
          "{}: found a folder nested too deeply, expected one folder of files per class",
          quoted(path)));
    }
    found.files.push_back(path);
  }
}

void add_folder(const fs::path& folder, DataFiles& found) {
  const std::vector<fs::path> paths = content(folder);
  const auto stray = std::ranges::find_if_not(paths, is_folder);
  const bool folders = std::ranges::any_of(paths, is_folder);
  if (!folders) return add_files(folder, found);
  if (stray != paths.end()) {
    throw InputError(fmt::format(
        "{}: found a file next to folders, expected only files, or one folder of files per class: "
        "move it elsewhere",
        quoted(*stray)));
  }
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

// ".csv" for x.CSV.gz.
std::string ending(const fs::path& file) { return lower(unpacked_name(file).extension().string()); }

std::optional<Format> by_first_bytes(Source& source) {
  const std::string_view bytes = source.peek(8);
  if (bytes.starts_with(kNpyMagic)) return Format::kNpy;
  if (bytes.starts_with(kIdxMagic)) return Format::kIdx;
  if (bytes.starts_with("PK\x03\x04") || bytes.starts_with("PK\x05\x06")) return Format::kNpz;
  return {};
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  for (std::string_view line; next_line(text, line);) {
    if (!trimmed(line).empty()) lines.push_back(trimmed(line));
  }
  return lines;
}

std::optional<Format> by_name(std::string_view ending) {
  static constexpr std::array<std::pair<std::string_view, Format>, 18> kEndings{{
      {".csv", Format::kTable},
      {".tsv", Format::kTable},
      {".ts", Format::kTs},
      {".arff", Format::kArff},
      {".tsf", Format::kTsf},
      {".jsonl", Format::kJsonl},
      {".ndjson", Format::kJsonl},
      {".json", Format::kJsonl},
      {".fa", Format::kFasta},
      {".fas", Format::kFasta},
      {".fasta", Format::kFasta},
      {".fna", Format::kFasta},
      {".ffn", Format::kFasta},
      {".faa", Format::kFasta},
      {".fq", Format::kFastq},
      {".fastq", Format::kFastq},
      {".npy", Format::kNpy},
      {".npz", Format::kNpz},
  }};
  const auto known =
      std::ranges::find(kEndings, ending, &std::pair<std::string_view, Format>::first);
  return known == kEndings.end() ? std::nullopt : std::optional(known->second);
}

// In FASTQ the header is followed by letters, or by + if the record is empty.
bool is_fastq(std::span<const std::string_view> lines) {
  return lines.size() > 1 &&
         (lines[1].starts_with('+') || std::ranges::all_of(lines[1], [](unsigned char c) {
            return std::isalpha(c) != 0 || c == '*' || c == '-';
          }));
}

bool has_key(std::string_view line, std::initializer_list<std::string_view> keys) {
  const std::string_view word = next_word(line);
  return std::ranges::any_of(keys, [&](std::string_view key) { return same_letters(word, key); });
}

// ARFF and .tsf both have @relation and @attribute; only .tsf describes the series in the header.
Format by_keys(std::span<const std::string_view> lines, std::string_view ending) {
  if (!has_key(lines.front(), {"@relation", "@attribute"})) return Format::kTs;
  const auto data =
      std::ranges::find_if(lines, [](std::string_view line) { return has_key(line, {"@data"}); });
  const bool of_series = std::any_of(lines.begin(), data, [](std::string_view line) {
    return has_key(line, {"@frequency", "@horizon", "@missing", "@equallength"});
  });
  return of_series || ending == ".tsf" ? Format::kTsf : Format::kArff;
}

// Skips the comments at the beginning.
std::span<const std::string_view> without(char comment, std::span<const std::string_view> lines) {
  const auto first =
      std::ranges::find_if(lines, [&](std::string_view line) { return line.front() != comment; });
  return lines.subspan(static_cast<std::size_t>(first - lines.begin()));
}

std::optional<Format> by_first_lines(std::span<const std::string_view> lines,
                                     std::string_view ending) {
  const std::span<const std::string_view> rest = without('#', lines);
  if (rest.empty()) return {};
  switch (rest.front().front()) {
    case '>':
      return Format::kFasta;
    case '{':
      return Format::kJsonl;
    case '@':
      return is_fastq(rest) || by_name(ending) == Format::kFastq ? Format::kFastq
                                                                 : by_keys(rest, ending);
    case '%': {
      const std::span<const std::string_view> header = without('%', rest);
      const bool is_arff = !header.empty() && has_key(header.front(), {"@relation", "@attribute"});
      return is_arff ? std::optional(Format::kArff) : std::nullopt;
    }
    default:
      return {};
  }
}

// Binary data and damaged text: the source refuses a zero byte in a line, with its place.
void refuse_zero_byte(Source& source) {
  const bool is_ahead = source.peek(std::size_t{1} << 16).find('\0') != std::string_view::npos;
  for (std::string_view line; is_ahead && source.line(line);) {
  }
}

// Rows with the same number of fields, at least two. Blanks also occur in sentences, and a single
// line proves little: in both cases the fields must be numbers.
bool is_table(std::string_view text) {
  if (text.starts_with("__label__")) return false;
  const Dialect dialect = guess_dialect(text);
  RowSplitter rows(dialect.separator,
                   [&](std::string_view& line) { return next_line(text, line); });
  int count = 0;
  bool numbers = true;  // in the last row
  RowSplitter::Found found = RowSplitter::Found::kRow;
  while ((found = rows.next()) != RowSplitter::Found::kEnd) {
    if (found != RowSplitter::Found::kRow || rows.fields().size() != dialect.fields) return false;
    ++count;
    numbers = std::ranges::all_of(rows.fields(), [value = 0.0F](std::string_view field) mutable {
      return parse_number(field, value) == Number::kRead;
    });
  }
  return dialect.fields > 1 && (numbers || (count > 1 && dialect.separator != kByBlanks));
}

void require_different(std::span<const fs::path> files) {
  std::map<FileId, const fs::path*> seen;
  for (const fs::path& file : files) {
    const std::optional<FileId> id = id_of(file);
    if (!id) continue;
    const auto [first, is_new] = seen.emplace(*id, &file);
    if (is_new) continue;
    const fs::path& same = *first->second;
    throw ConfigError(
        fmt::format("{}: found the same data twice{}, expected it once", quoted(file),
                    same == file ? "" : fmt::format(", here and as {}", quoted(same))));
  }
}

}  // namespace

DataFiles find_files(std::span<const fs::path> paths) {
  DataFiles found;
  for (const fs::path& path : paths) {
    if (path != "-") io::require_existing(path);
    if (path != "-" && is_folder(path)) {
      add_folder(path, found);
    } else {
      found.files.push_back(path);
    }
  }
  if (found.files.empty()) throw ConfigError("no data files given, expected at least one");
  if (paths.size() > 1) require_different(found.files);
  return found;
}

std::string name_without_endings(const fs::path& file) {
  return unpacked_name(file).stem().string();
}

std::string name_of_folder(const fs::path& file) {
  std::error_code ignored;
  return fs::absolute(file, ignored).parent_path().filename().string();
}

std::vector<std::string> distinct_names(std::span<const fs::path> files) {
  using Naming = std::string (*)(const fs::path&);
  constexpr std::array<Naming, 2> kNamings = {
      name_without_endings,
      [](const fs::path& file) { return name_of_folder(file) + '/' + name_without_endings(file); }};
  for (const Naming naming : kNamings) {
    std::vector<std::string> names;
    for (const fs::path& file : files) names.push_back(file == "-" ? "stdin" : naming(file));
    if (std::set(names.begin(), names.end()).size() == names.size()) return names;
  }
  std::vector<std::string> paths;
  for (const fs::path& file : files) paths.push_back(file.string());
  return paths;
}

Format recognise(Source& source) {
  if (source.peek(1).empty()) {
    throw InputError(fmt::format("{}: found an empty file, expected sequences", source.name()));
  }
  refuse_other_files(source);
  if (const auto format = by_first_bytes(source)) return *format;
  if (source.peek(2) == "\xFF\xFE" || source.peek(2) == "\xFE\xFF") {
    throw InputError(fmt::format(
        "{}: found UTF-16 text, expected UTF-8: convert it with iconv -f utf-16 -t utf-8",
        source.name()));
  }
  refuse_zero_byte(source);
  const std::string_view text = beginning(source);
  const std::string name_ends = ending(source.path());
  if (const auto format = by_first_lines(lines_of(text), name_ends)) return *format;
  if (const auto format = by_name(name_ends)) return *format;
  return is_table(text) ? Format::kTable : Format::kText;
}

}  // namespace rwa::formats

#include "formats/open_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/folder.h"
#include "formats/guess.h"
#include "formats/idx.h"
#include "formats/npy.h"
#include "formats/number.h"
#include "formats/table_dialect.h"
#include "formats/table_row.h"
#include "formats/words.h"
#include "rwa/errors.h"

namespace rwa::formats {
namespace {

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

// After its header, a record of FASTQ has letters, or none and the + that follows them.
bool is_fastq(std::span<const std::string_view> lines) {
  return lines.size() > 1 &&
         (lines[1].starts_with('+') || std::ranges::all_of(lines[1], [](unsigned char c) {
            return std::isalpha(c) != 0 || c == '*' || c == '-';
          }));
}

std::optional<Format> by_first_lines(std::span<const std::string_view> lines) {
  const auto first =
      std::ranges::find_if(lines, [](std::string_view line) { return line.front() != '#'; });
  if (first == lines.end()) return {};
  switch (first->front()) {
    case '>':
      return Format::kFasta;
    case '{':
      return Format::kJsonl;
    case '@':
      return is_fastq(lines) ? Format::kFastq : Format::kTs;
    default:
      return {};
  }
}

std::optional<Format> by_name(const std::string& ending) {
  static constexpr std::array<std::pair<std::string_view, Format>, 16> kEndings{{
      {".csv", Format::kTable},
      {".tsv", Format::kTable},
      {".ts", Format::kTs},
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

// Rows of the same number of fields, two at least. Blanks stand in sentences, too, and a single
// line says little: there the fields must be numbers.
bool is_table(std::string_view text) {
  if (text.starts_with("__label__")) return false;
  const Dialect dialect = guess_dialect(text);
  RowSplitter rows(dialect.separator,
                   [&](std::string_view& line) { return next_line(text, line); });
  int count = 0;
  bool numbers = true;  // the last row
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
}  // namespace

Format recognise(Source& source) {
  if (source.peek(1).empty()) {
    throw InputError(fmt::format("{}: found an empty file, expected sequences", source.name()));
  }
  if (const auto format = by_first_bytes(source)) return *format;
  if (source.peek(std::size_t{1} << 16).find('\0') != std::string_view::npos) {
    throw InputError(fmt::format("{}: found zero bytes, expected text, or an array of NumPy or IDX",
                                 source.name()));
  }
  const std::string_view text = beginning(source);
  if (const auto format = by_first_lines(lines_of(text))) return *format;
  if (const auto format = by_name(ending(source.path()))) return *format;
  return is_table(text) ? Format::kTable : Format::kText;
}

}  // namespace rwa::formats

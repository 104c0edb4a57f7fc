#include "formats/other_files.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "formats/parse.h"
#include "rwa/errors.h"

namespace rwa::formats {
namespace {
using namespace std::string_view_literals;

constexpr std::size_t kPeek = 512;  // bytes

struct Kind {
  std::string_view begin, name, advice;
};
constexpr std::string_view kSaveAsCsv = "save the sheet as CSV";
constexpr std::string_view kConvert = "convert it to CSV or JSON lines";
constexpr std::string_view kUnpack = "unpack it";
constexpr std::array<Kind, 11> kBinary{{
    {"%PDF-", "a PDF document", "extract its text or tables"},
    {"PAR1", "a Parquet file", kConvert},
    {"ARROW1", "an Arrow file", kConvert},
    {"\x89HDF\r\n", "an HDF5 file", "save its arrays as .npy or .npz"},
    {"SQLite format 3\0"sv, "an SQLite database", kConvert},
    {"\xD0\xCF\x11\xE0\xA1\xB1", "an Excel or other Office file", kSaveAsCsv},
    {"7z\xBC\xAF\x27\x1C", "a 7z archive", kUnpack},
    {"BZh91AY&SY", "a bzip2 file", kUnpack},
    {"\xFD"
     "7zXZ",
     "an xz file", kUnpack},
    {"\x1F\x8B", "a gzip file within a packed one", kUnpack},
    {"\x28\xB5\x2F\xFD", "a zstd file within a packed one", kUnpack},
}};
// Compared without case, after blanks.
constexpr std::string_view kReadAsText = "use --format text to read it as text";
constexpr std::array<Kind, 4> kMarkup{{
    {"<!doctype html", "an HTML page", kReadAsText},
    {"<html", "an HTML page", kReadAsText},
    {"<?xml", "an XML file", kReadAsText},
    {"<!doctype", "an XML file", kReadAsText},
}};

[[noreturn]] void refuse(const Source& source, std::string_view found, std::string_view advice) {
  throw InputError(fmt::format("{}: found {}, expected data: {}", source.name(), found, advice));
}

// The name of the first file in a ZIP archive; empty if there is none.
std::string_view first_in_zip(std::string_view bytes) {
  constexpr std::size_t kLength = 26, kName = 30;
  if (!bytes.starts_with("PK\x03\x04") || bytes.size() < kName) return {};
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  return bytes.substr(kName, byte(kLength) + 256U * byte(kLength + 1));
}

void refuse_zip(const Source& source, std::string_view bytes) {
  const std::string_view name = first_in_zip(bytes);
  if (name.empty() || name.ends_with(".npy") || source.path().extension() == ".npz") return;
  const auto office = {"[Content_Types].xml"sv, "_rels/"sv, "xl/"sv, "docProps/"sv, "mimetype"sv};
  if (std::ranges::any_of(office, [&](std::string_view part) { return name.starts_with(part); })) {
    refuse(source, "an Excel or other Office file", kSaveAsCsv);
  }
  refuse(source, "a ZIP archive", kUnpack);
}

bool begins_with(std::string_view text, std::string_view begin) {
  return same_letters(text.substr(0, begin.size()), begin);
}
}  // namespace

void refuse_other_files(Source& source) {
  const std::string_view bytes = source.peek(kPeek);
  for (const Kind& kind : kBinary) {
    if (bytes.starts_with(kind.begin)) refuse(source, kind.name, kind.advice);
  }
  constexpr std::size_t kTarMark = 257;
  if (bytes.size() > kTarMark && bytes.substr(kTarMark).starts_with("ustar")) {
    refuse(source, "a tar archive", kUnpack);
  }
  refuse_zip(source, bytes);
  std::string_view text = without_mark(bytes);
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  for (const Kind& kind : kMarkup) {
    if (begins_with(text, kind.begin)) refuse(source, kind.name, kind.advice);
  }
}

}  // namespace rwa::formats

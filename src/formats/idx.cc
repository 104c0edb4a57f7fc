// src/formats/idx.cc: IDX, the format of the MNIST files.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "formats/array.h"
#include "formats/array_answers.h"
#include "formats/array_reader.h"
#include "formats/formats.h"
#include "rwa/errors.h"

namespace rwa::formats {
namespace {
constexpr std::uint32_t kUnsignedBytes = 0x0800;  // kIdxMagic as a number, without dimensions
constexpr std::uint32_t kMostDimensions = 3;
constexpr float kWhite = 255;

std::uint32_t header_number(Source& source, std::string_view expected) {
  std::array<std::byte, 4> bytes{};
  if (source.read(bytes) < bytes.size()) {
    throw InputError(
        fmt::format("{}: ends inside the header, expected {}", source.name(), expected));
  }
  std::uint32_t number = 0;
  for (const std::byte byte : bytes) number = number << 8 | std::to_integer<std::uint32_t>(byte);
  return number;
}
}  // namespace

Array parse_idx(std::unique_ptr<Source> source) {
  const std::string name = source->name();
  const std::uint32_t magic = header_number(*source, "a magic number");
  const std::uint32_t dimensions = magic - kUnsignedBytes;
  if (magic <= kUnsignedBytes || dimensions > kMostDimensions) {
    throw InputError(fmt::format(
        "{}: begins with {:#010x}, expected {:#010x} to {:#010x}, an IDX array of bytes "
        "with 1 to {} dimensions",
        name, magic, kUnsignedBytes + 1, kUnsignedBytes + kMostDimensions, kMostDimensions));
  }
  ArrayShape shape;
  for (std::uint32_t i = 1; i <= dimensions; ++i) {
    shape.push_back(header_number(*source, fmt::format("dimension {} of {}", i, dimensions)));
  }
  return {name, {Element::Kind::kUnsigned, 1}, std::move(shape), bytes_of(std::move(source))};
}

std::vector<std::uint8_t> read_idx(const std::filesystem::path& file,
                                   std::span<const std::int64_t> item, std::int64_t most) {
  Array array = parse_idx(std::make_unique<Source>(file));
  const ArrayShape& shape = array.shape();
  if (!std::ranges::equal(std::span(shape).subspan(1), item)) {
    throw InputError(fmt::format("{}: has shape {}, expected (N,{}{})", array.name(),
                                 to_string(shape), item.empty() ? "" : " ", fmt::join(item, ", ")));
  }
  if (shape[0] > most) {
    throw InputError(
        fmt::format("{}: has {} items, expected 1 to {}", array.name(), shape[0], most));
  }
  std::vector<std::uint8_t> bytes;
  array.raw(array.bytes(), bytes);
  array.finish();
  return bytes;
}

std::unique_ptr<Reader> open_idx(std::unique_ptr<Source> source, const Options& options,
                                 SharedVocabulary vocabulary) {
  const std::filesystem::path path = source->path();
  const std::string name = source->name();
  Arrays arrays{.format = Format::kIdx,
                .file = name,
                .x = parse_idx(std::move(source)),
                .y = labels_of(path, options),
                .layout = Layout::kNtc,
                .divisor = kWhite,
                .stored = stored_bytes(path)};
  return read_arrays(std::move(arrays), options, std::move(vocabulary));
}

}  // namespace rwa::formats

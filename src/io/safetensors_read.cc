// src/io/safetensors_read.cc: the strict reader. Every count is checked against the bytes present
// before anything of that size is allocated, no byte of the file may go unexplained, and no value
// is read before the whole header is known to be right.
#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <new>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <simdjson.h>

#include "io/quote.h"
#include "io/read_file.h"
#include "io/safetensors.h"
#include "rwa/errors.h"

namespace rwa::io {
namespace {

namespace dom = simdjson::dom;

static_assert(std::endian::native == std::endian::little, "values and length are copied as stored");

// JSON's own escapes leave some controls as they are, such as U+009B, which starts a command.
std::string found(dom::element element) {
  std::string text = simdjson::minify(element);
  const bool plain = std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; });
  return plain ? excerpt(std::move(text)) : quote(text);
}

// Fills the whole of its argument with the next bytes of the file.
using NextBytes = std::function<void(std::span<std::byte>)>;

// A tensor as the header describes it, its bytes given relative to the start of the data.
struct Entry {
  std::string name;
  std::vector<std::int64_t> shape;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

class Reader {
 public:
  // `next` gives `size` bytes.
  Reader(std::uint64_t size, NextBytes next, std::string_view origin)
      : size_(size), next_(std::move(next)), origin_(origin) {}

  TensorFile read() {
    read_header();
    TensorFile file;
    std::vector<Entry> entries;
    std::set<std::string_view> keys;
    dom::parser parser;
    for (const dom::key_value_pair field : parse_header(parser)) {
      if (!keys.insert(field.key).second) fail_duplicate("the header", field.key);
      if (field.key == kMetadataKey) {
        file.metadata = read_metadata(field.value);
      } else {
        entries.push_back(read_entry(field.key, field.value));
      }
    }
    std::ranges::sort(entries, {}, &Entry::begin);
    check_coverage(entries);
    for (Entry& entry : entries) file.tensors.push_back(read_tensor(std::move(entry)));
    return file;
  }

 private:
  template <typename... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> text, Args&&... args) const {
    throw ModelFileError(
        fmt::format("{}: {}", origin_, fmt::format(text, std::forward<Args>(args)...)));
  }

  [[noreturn]] void fail_duplicate(std::string_view where, std::string_view key) const {
    fail("{} has the key {} twice, expected it once", where, quote(key));
  }

  void read_header();
  dom::object parse_header(dom::parser& parser) const;
  std::map<std::string, std::string> read_metadata(dom::element value) const;
  Entry read_entry(std::string_view name, dom::element value) const;
  void read_dtype(const Entry& entry, dom::element value) const;
  void read_shape(Entry& entry, dom::element value) const;
  void read_offsets(Entry& entry, dom::element value) const;
  void check_size(const Entry& entry) const;
  void check_coverage(std::span<const Entry> entries) const;
  Tensor read_tensor(Entry entry) const;

  std::uint64_t size_;
  NextBytes next_;
  std::string_view origin_;
  std::vector<std::byte> header_;
  std::uint64_t data_size_ = 0;
};

void Reader::read_header() {
  std::uint64_t length = 0;
  if (size_ < sizeof(length)) {
    fail("the file has {} bytes, expected at least the {} of the header's length", size_,
         sizeof(length));
  }
  next_(std::as_writable_bytes(std::span(&length, 1)));
  const std::uint64_t rest = size_ - sizeof(length);
  if (length > kMaxHeaderBytes) {
    fail("the header's length is {} bytes, expected at most {}", length, kMaxHeaderBytes);
  }
  if (length > rest) {
    fail("the header's length is {} bytes, expected at most the {} that follow it in the file",
         length, rest);
  }
  header_.resize(length);
  next_(header_);
  data_size_ = rest - length;
}

// The result lives in the parser.
dom::object Reader::parse_header(dom::parser& parser) const {
  if (header_.empty()) fail("the header is empty, expected a JSON object");
  if (header_.front() != std::byte{'{'}) {
    fail("the header starts with byte 0x{:02x}, expected '{{' (0x7b)",
         std::to_integer<unsigned>(header_.front()));
  }
  dom::object header;
  // The parser copies the bytes: it reads beyond the end of what it is given.
  const simdjson::error_code error =
      parser.parse(reinterpret_cast<const char*>(header_.data()), header_.size()).get(header);
  if (error == simdjson::MEMALLOC) throw std::bad_alloc();
  if (error != simdjson::SUCCESS) {
    fail("the header is not valid JSON ({}), expected a JSON object",
         simdjson::error_message(error));
  }
  return header;
}

std::map<std::string, std::string> Reader::read_metadata(dom::element value) const {
  dom::object object;
  if (value.get(object) != simdjson::SUCCESS) {
    fail("{} is {}, expected an object", kMetadataKey, found(value));
  }
  std::map<std::string, std::string> metadata;
  for (const dom::key_value_pair field : object) {
    std::string_view text;
    if (field.value.get(text) != simdjson::SUCCESS) {
      fail("{} has {} for the key {}, expected a string", kMetadataKey, found(field.value),
           quote(field.key));
    }
    if (!metadata.emplace(field.key, text).second) fail_duplicate(kMetadataKey, field.key);
  }
  return metadata;
}

Entry Reader::read_entry(std::string_view name, dom::element value) const {
  dom::object object;
  if (value.get(object) != simdjson::SUCCESS) {
    fail("tensor {} is described by {}, expected an object", quote(name), found(value));
  }
  std::map<std::string_view, std::optional<dom::element>> fields = {
      {"dtype", {}}, {"shape", {}}, {"data_offsets", {}}};
  for (const dom::key_value_pair field : object) {
    const auto place = fields.find(field.key);
    if (place == fields.end()) {
      fail("tensor {} has a field {}, expected only dtype, shape and data_offsets", quote(name),
           quote(field.key));
    }
    if (place->second) fail_duplicate(fmt::format("tensor {}", quote(name)), field.key);
    place->second = field.value;
  }
  for (const auto& [field, content] : fields) {
    if (!content) fail("tensor {} has no {}, expected one", quote(name), field);
  }
  Entry entry;
  entry.name = name;
  read_dtype(entry, *fields["dtype"]);
  read_shape(entry, *fields["shape"]);
  read_offsets(entry, *fields["data_offsets"]);
  check_size(entry);
  return entry;
}

void Reader::read_dtype(const Entry& entry, dom::element value) const {
  std::string_view dtype;
  if (value.get(dtype) != simdjson::SUCCESS || dtype != "F32") {
    fail("tensor {} has dtype {}, expected \"F32\"", quote(entry.name), found(value));
  }
}

void Reader::read_shape(Entry& entry, dom::element value) const {
  dom::array dims;
  if (value.get(dims) != simdjson::SUCCESS) {
    fail("tensor {} has shape {}, expected an array", quote(entry.name), found(value));
  }
  for (const dom::element dim : dims) {
    if (entry.shape.size() == kMaxDims) {
      fail("tensor {} has shape {}, expected at most {} dimensions", quote(entry.name),
           found(value), kMaxDims);
    }
    std::int64_t size = 0;
    if (dim.get(size) != simdjson::SUCCESS || size < 0) {
      fail("tensor {} has a dimension {}, expected an integer from 1 to 2^63-1", quote(entry.name),
           found(dim));
    }
    if (size == 0) {
      fail("tensor {} has shape {}, a zero-size tensor, expected dimensions of at least 1",
           quote(entry.name), found(value));
    }
    entry.shape.push_back(size);
  }
}

void Reader::read_offsets(Entry& entry, dom::element value) const {
  std::vector<std::uint64_t> offsets;
  dom::array array;
  bool valid = value.get(array) == simdjson::SUCCESS && array.size() == 2;
  for (std::size_t i = 0; valid && i < 2; ++i) {
    valid = array.at(i).get(offsets.emplace_back()) == simdjson::SUCCESS;
  }
  if (!valid) {
    fail("tensor {} has data_offsets {}, expected two non-negative integers", quote(entry.name),
         found(value));
  }
  entry.begin = offsets[0];
  entry.end = offsets[1];
  if (entry.begin > entry.end) {
    fail("tensor {} has data_offsets {}, expected the first at most the second", quote(entry.name),
         found(value));
  }
  if (entry.end > data_size_) {
    fail("tensor {} has data_offsets {}, expected them within the {} bytes of data in the file",
         quote(entry.name), found(value), data_size_);
  }
}

void Reader::check_size(const Entry& entry) const {
  const std::uint64_t stored = entry.end - entry.begin;
  // Dividing what is stored, rather than multiplying the dimensions, cannot wrap around.
  std::uint64_t remaining = stored / sizeof(float);
  bool exact = stored % sizeof(float) == 0;
  for (const std::int64_t dim : entry.shape) {
    exact = exact && remaining % static_cast<std::uint64_t>(dim) == 0;
    remaining /= static_cast<std::uint64_t>(dim);
  }
  if (!exact || remaining != 1) {
    fail("tensor {} has {} bytes of data, expected {} for each value of its shape [{}]",
         quote(entry.name), stored, sizeof(float), fmt::join(entry.shape, ", "));
  }
}

// Expects the entries in the order of their bytes.
void Reader::check_coverage(std::span<const Entry> entries) const {
  std::uint64_t covered = 0;
  for (const Entry& entry : entries) {
    if (entry.begin != covered) {
      fail("tensor {} begins at byte {} of the data, {}, expected {}", quote(entry.name),
           entry.begin, entry.begin > covered ? "after a hole" : "overlapping another tensor",
           covered);
    }
    covered = entry.end;
  }
  if (covered != data_size_) {
    fail("the data has {} bytes, expected the {} of its tensors and no trailing bytes", data_size_,
         covered);
  }
}

// To be called for the entries in the order of their bytes, which leave no hole: the next bytes are
// this tensor's.
Tensor Reader::read_tensor(Entry entry) const {
  std::vector<float> values((entry.end - entry.begin) / sizeof(float));
  next_(std::as_writable_bytes(std::span(values)));
  const auto wrong = std::ranges::find_if_not(values, [](float x) { return std::isfinite(x); });
  if (wrong != values.end()) {
    fail("tensor {} has the value {} at index {}, expected finite values", quote(entry.name),
         *wrong, wrong - values.begin());
  }
  return {std::move(entry.name), std::move(entry.shape), std::move(values)};
}

}  // namespace

TensorFile parse_safetensors(std::span<const std::byte> bytes, std::string_view origin) {
  const auto next = [rest = bytes](std::span<std::byte> part) mutable {
    std::ranges::copy(rest.first(part.size()), part.begin());
    rest = rest.subspan(part.size());
  };
  return Reader(bytes.size(), next, origin).read();
}

TensorFile read_safetensors(const std::filesystem::path& file) try {
  InputFile input(file);
  const std::string origin = file.string();
  const auto next = [&](std::span<std::byte> part) { input.read(part); };
  return Reader(input.size(), next, origin).read();
} catch (const std::bad_alloc&) {
  throw ResourceError(fmt::format("{}: cannot read: memory is short", file.string()));
}

}  // namespace rwa::io

// src/io/safetensors_read.cc: the strict reader. Every size is checked against the bytes present
// before memory is allocated, every byte of the file must be accounted for, and no value is read
// before the whole header is validated.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <new>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <simdjson.h>

#include "base/counted.h"
#include "io/quote.h"
#include "io/read_file.h"
#include "io/safetensors.h"
#include "rwa/errors.h"

namespace rwa::io {
namespace {

namespace dom = simdjson::dom;

static_assert(std::endian::native == std::endian::little, "values and length are copied as stored");

// JSON does not escape some control characters, such as U+009B, which starts a terminal command.
std::string found(dom::element element) {
  std::string text = simdjson::minify(element);
  const bool plain = std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; });
  return plain ? excerpt(std::move(text)) : quote(text);
}

// Fills its argument with the next bytes of the file.
using NextBytes = std::function<void(std::span<std::byte>)>;

// A stored number type.
struct Dtype {
  std::string_view name;
  std::size_t bytes;
  float (*read)(const std::byte*);
};

template <class T>
T copy_of(const std::byte* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof(value));
  return value;
}

float read_f32(const std::byte* bytes) { return copy_of<float>(bytes); }
float read_f64(const std::byte* bytes) { return static_cast<float>(copy_of<double>(bytes)); }

// The high half of a float.
float read_bf16(const std::byte* bytes) {
  return std::bit_cast<float>(std::uint32_t{copy_of<std::uint16_t>(bytes)} << 16);
}

// A sign, 5 bits of exponent, 10 of fraction; every such number is a float.
float read_f16(const std::byte* bytes) {
  const int bits = copy_of<std::uint16_t>(bytes);
  const int exponent = bits >> 10 & 0x1F;
  const auto fraction = static_cast<float>(bits & 0x3FF);
  const float sign = (bits & 0x8000) == 0 ? 1.0F : -1.0F;
  if (exponent == 0x1F) {
    using Limits = std::numeric_limits<float>;
    return fraction == 0 ? sign * Limits::infinity() : Limits::quiet_NaN();
  }
  return sign *
         (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(0x400 + fraction, exponent - 25));
}

constexpr std::array<Dtype, 4> kDtypes = {
    {{"F32", 4, read_f32}, {"F16", 2, read_f16}, {"BF16", 2, read_bf16}, {"F64", 8, read_f64}}};
constexpr std::array<Dtype, 2> kWithTexts = {{kDtypes.front(), {"U8", 1, nullptr}}};

std::span<const Dtype> accepted(Accept accept) {
  if (accept == Accept::kTexts) return kWithTexts;
  return std::span(kDtypes).first(accept == Accept::kF32 ? 1 : kDtypes.size());
}

std::string expected_of(Accept accept) {
  if (accept == Accept::kF32) return "\"F32\"";
  return accept == Accept::kTexts ? "\"F32\" or \"U8\"" : "\"F32\", \"F16\", \"BF16\" or \"F64\"";
}

// A tensor as described by the header; offsets are relative to the start of the data.
struct Entry {
  std::string name;
  Dtype dtype = kDtypes.front();
  std::vector<std::int64_t> shape;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

class Reader {
 public:
  // `next` supplies `size` bytes.
  Reader(std::uint64_t size, NextBytes next, std::string_view origin, Accept accept)
      : size_(size), next_(std::move(next)), origin_(origin), accept_(accept) {}

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
    for (Entry& entry : entries) {
      if (entry.dtype.read == nullptr) {
        file.texts.emplace(entry.name, read_as_text(entry));
      } else {
        file.tensors.push_back(read_tensor(std::move(entry)));
      }
    }
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
  void read_dtype(Entry& entry, dom::element value) const;
  void read_shape(Entry& entry, dom::element value) const;
  void read_offsets(Entry& entry, dom::element value) const;
  void check_size(const Entry& entry) const;
  void check_coverage(std::span<const Entry> entries) const;
  Tensor read_tensor(Entry entry) const;
  std::string read_as_text(const Entry& entry) const;
  void read_converted(const Dtype& dtype, std::span<float> values) const;

  std::uint64_t size_;
  NextBytes next_;
  std::string_view origin_;
  Accept accept_;
  std::vector<std::byte> header_;
  std::uint64_t data_size_ = 0;
};

void Reader::read_header() {
  std::uint64_t length = 0;
  if (size_ < sizeof(length)) {
    fail("the file has {}, expected at least the {} of the header's length", counted(size_, "byte"),
         sizeof(length));
  }
  next_(std::as_writable_bytes(std::span(&length, 1)));
  const std::uint64_t rest = size_ - sizeof(length);
  if (length > kMaxHeaderBytes) {
    fail("not a safetensors file: the header's length is {} bytes, expected at most {}", length,
         kMaxHeaderBytes);
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
  // The parser copies the bytes, because it reads past the end.
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

void Reader::read_dtype(Entry& entry, dom::element value) const {
  const std::span known = accepted(accept_);
  std::string_view name;
  const auto dtype = value.get(name) == simdjson::SUCCESS
                         ? std::ranges::find(known, name, &Dtype::name)
                         : known.end();
  if (dtype == known.end()) {
    fail("tensor {} has dtype {}, expected {}", quote(entry.name), found(value),
         expected_of(accept_));
  }
  entry.dtype = *dtype;
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
    fail("tensor {} has data_offsets {}, expected the first to be at most the second",
         quote(entry.name), found(value));
  }
  if (entry.end > data_size_) {
    fail("tensor {} has data_offsets {}, expected them within the {} bytes of data in the file",
         quote(entry.name), found(value), data_size_);
  }
}

void Reader::check_size(const Entry& entry) const {
  const std::uint64_t stored = entry.end - entry.begin;
  // Dividing the stored size, rather than multiplying the dimensions, cannot overflow.
  std::uint64_t remaining = stored / entry.dtype.bytes;
  bool exact = stored % entry.dtype.bytes == 0;
  for (const std::int64_t dim : entry.shape) {
    exact = exact && remaining % static_cast<std::uint64_t>(dim) == 0;
    remaining /= static_cast<std::uint64_t>(dim);
  }
  if (!exact || remaining != 1) {
    fail("tensor {} has {} of data, expected {} for each value of its shape [{}]",
         quote(entry.name), counted(stored, "byte"), entry.dtype.bytes,
         fmt::join(entry.shape, ", "));
  }
}

// Expects the entries in the order of their bytes.
void Reader::check_coverage(std::span<const Entry> entries) const {
  std::uint64_t covered = 0;
  for (const Entry& entry : entries) {
    if (entry.begin != covered) {
      fail("tensor {} begins at byte {} of the data, {}, expected {}", quote(entry.name),
           entry.begin, entry.begin > covered ? "after a gap" : "overlapping another tensor",
           covered);
    }
    covered = entry.end;
  }
  if (covered != data_size_) {
    fail("the data has {}, expected the {} of its tensors and no trailing bytes",
         counted(data_size_, "byte"), covered);
  }
}

// Call in the order of the entries' bytes, which have no gaps: the next bytes are this tensor's.
Tensor Reader::read_tensor(Entry entry) const {
  std::vector<float> values((entry.end - entry.begin) / entry.dtype.bytes);
  if (entry.dtype.name == "F32") {
    next_(std::as_writable_bytes(std::span(values)));
  } else {
    read_converted(entry.dtype, values);
  }
  const auto wrong = std::ranges::find_if_not(values, [](float x) { return std::isfinite(x); });
  if (wrong != values.end()) {
    fail("tensor {} has the value {} at index {}, expected finite values", quote(entry.name),
         *wrong, wrong - values.begin());
  }
  return {std::move(entry.name), std::move(entry.shape), std::move(values)};
}

std::string Reader::read_as_text(const Entry& entry) const {
  std::string text(entry.end - entry.begin, '\0');
  next_(std::as_writable_bytes(std::span(text)));
  return text;
}

// Converts piece by piece, so that the stored form is never in memory as a whole.
void Reader::read_converted(const Dtype& dtype, std::span<float> values) const {
  constexpr std::size_t kPiece = 1 << 14;
  std::vector<std::byte> stored(std::min(kPiece, values.size()) * dtype.bytes);
  while (!values.empty()) {
    const std::span piece = values.first(std::min(kPiece, values.size()));
    next_(std::span(stored).first(piece.size() * dtype.bytes));
    for (std::size_t i = 0; i < piece.size(); ++i) {
      piece[i] = dtype.read(stored.data() + i * dtype.bytes);
    }
    values = values.subspan(piece.size());
  }
}

}  // namespace

TensorFile parse_safetensors(std::span<const std::byte> bytes, std::string_view origin,
                             Accept accept) {
  const auto next = [rest = bytes](std::span<std::byte> part) mutable {
    std::ranges::copy(rest.first(part.size()), part.begin());
    rest = rest.subspan(part.size());
  };
  return Reader(bytes.size(), next, origin, accept).read();
}

TensorFile read_safetensors(const std::filesystem::path& file, Accept accept) try {
  InputFile input(file);
  const std::string origin = file.string();
  const auto next = [&](std::span<std::byte> part) { input.read(part); };
  return Reader(input.size(), next, origin, accept).read();
} catch (const std::bad_alloc&) {
  throw ResourceError(fmt::format("{}: cannot read: out of memory", file.string()));
}

}  // namespace rwa::io

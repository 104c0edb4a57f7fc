// src/formats/npy.cc: .npy, NumPy's format for one array.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <optional>
#include <utility>

#include "formats/array.h"
#include "formats/array_answers.h"
#include "formats/array_reader.h"
#include "formats/formats.h"
#include "io/quote.h"
#include "rwa/errors.h"

namespace rwa::formats {
namespace {
constexpr std::size_t kMostHeader = std::size_t{1} << 16;
constexpr std::size_t kMostDimensions = 8;
constexpr std::size_t kLongestText = 16'384;  // characters
constexpr std::string_view kBlanks = " \t\r\n";

template <typename... Args>
[[noreturn]] void fail(const std::string& name, fmt::format_string<Args...> text, Args&&... args) {
  throw InputError(name + ": " + fmt::format(text, std::forward<Args>(args)...));
}

// The dictionary {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), } as NumPy writes it.
class Header {
 public:
  Header(const std::string& name, std::string_view text);

  [[nodiscard]] std::string_view dtype() const { return *dtype_; }
  [[nodiscard]] bool in_fortran_order() const { return *fortran_order_; }
  [[nodiscard]] const ArrayShape& shape() const { return *shape_; }

 private:
  [[noreturn]] void refuse() const {
    fail(name_,
         "has the malformed header {}, expected one like {{'descr': '<f4', 'fortran_order': False, "
         "'shape': (N, T, C)}}",
         io::quote(text_));
  }

  void value(std::string_view key);
  std::string_view quoted();
  std::string_view description();
  ArrayShape tuple();
  char peek();  // the next character after blanks
  void expect(char c);
  bool take(std::string_view word);

  const std::string& name_;
  std::string_view text_;
  std::size_t at_ = 0;
  std::optional<std::string_view> dtype_;
  std::optional<bool> fortran_order_;
  std::optional<ArrayShape> shape_;
};

Header::Header(const std::string& name, std::string_view text) : name_(name), text_(text) {
  expect('{');
  while (peek() != '}') {
    const std::string_view key = quoted();
    expect(':');
    value(key);
    if (peek() != '}') expect(',');
  }
  expect('}');
  const bool ended = text_.find_first_not_of(kBlanks, at_) == std::string_view::npos;
  if (!ended || !dtype_ || !fortran_order_ || !shape_) refuse();
}

void Header::value(std::string_view key) {
  if (key == "descr" && !dtype_) {
    dtype_ = description();
  } else if (key == "fortran_order" && !fortran_order_) {
    fortran_order_ = take("True");
    if (!*fortran_order_ && !take("False")) refuse();
  } else if (key == "shape" && !shape_) {
    shape_ = tuple();
  } else {
    refuse();
  }
}

std::string_view Header::quoted() {
  const char quote = peek();
  const std::size_t begin = at_ + 1;
  const std::size_t end = text_.find(quote, begin);
  if ((quote != '\'' && quote != '"') || end == std::string_view::npos) refuse();
  at_ = end + 1;
  return text_.substr(begin, end - begin);
}

// For records this is a list, kept verbatim for the error message.
std::string_view Header::description() {
  if (peek() != '[') return quoted();
  const std::size_t begin = at_;
  const std::size_t end = text_.find(']', begin);
  if (end == std::string_view::npos) refuse();
  at_ = end + 1;
  return text_.substr(begin, at_ - begin);
}

ArrayShape Header::tuple() {
  ArrayShape sizes;
  expect('(');
  while (peek() != ')') {
    const char* begin = text_.data() + at_;
    const auto [end, error] =
        std::from_chars(begin, text_.data() + text_.size(), sizes.emplace_back());
    if (error != std::errc() || sizes.size() > kMostDimensions) refuse();
    at_ += static_cast<std::size_t>(end - begin);
    if (peek() != ')') expect(',');
  }
  expect(')');
  return sizes;
}

char Header::peek() {
  at_ = std::min(text_.find_first_not_of(kBlanks, at_), text_.size());
  if (at_ == text_.size()) refuse();
  return text_[at_];
}

void Header::expect(char c) {
  if (peek() != c) refuse();
  ++at_;
}

bool Header::take(std::string_view word) {
  peek();
  if (!text_.substr(at_).starts_with(word)) return false;
  at_ += word.size();
  return true;
}

std::optional<Element> element_of(std::string_view dtype) {
  using Kind = Element::Kind;
  struct Known {
    std::string_view name;
    Element element;
  };
  constexpr std::array kNumbers = {
      Known{"f4", {Kind::kFloat, 4}},    Known{"f8", {Kind::kFloat, 8}},
      Known{"i1", {Kind::kSigned, 1}},   Known{"i2", {Kind::kSigned, 2}},
      Known{"i4", {Kind::kSigned, 4}},   Known{"i8", {Kind::kSigned, 8}},
      Known{"u1", {Kind::kUnsigned, 1}}, Known{"u2", {Kind::kUnsigned, 2}},
      Known{"u4", {Kind::kUnsigned, 4}}, Known{"u8", {Kind::kUnsigned, 8}},
      Known{"b1", {Kind::kBool, 1}}};
  if (!dtype.starts_with('<') && !dtype.starts_with('|')) return {};
  dtype.remove_prefix(1);
  const auto known = std::ranges::find(kNumbers, dtype, &Known::name);
  if (known != kNumbers.end()) return known->element;
  if (!dtype.starts_with('U')) return {};
  std::size_t characters = 0;
  const char* end = dtype.data() + dtype.size();
  const auto parsed = std::from_chars(dtype.data() + 1, end, characters);
  if (parsed.ec != std::errc() || parsed.ptr != end) return {};
  if (characters < 1 || characters > kLongestText) return {};
  return Element{Kind::kText, 4 * characters};
}

// Reads the text of the header; `next` is at the beginning of the file.
std::string header_text(const std::string& name, const NextBytes& next) {
  const auto take = [&](std::size_t count, std::string_view expected) {
    std::string bytes(count, '\0');
    bytes.resize(next(std::as_writable_bytes(std::span(bytes))));
    if (bytes.size() < count) fail(name, "ends inside the header, expected {}", expected);
    return bytes;
  };
  const std::string magic = take(kNpyMagic.size(), "a magic number");
  if (magic != kNpyMagic) {
    fail(name, "begins with {}, expected {} (an .npy file)", io::quote(magic),
         io::quote(kNpyMagic));
  }
  const int version = static_cast<unsigned char>(take(2, "a version")[0]);
  if (version < 1 || version > 3) fail(name, "has .npy version {}, expected 1, 2 or 3", version);
  const std::string length_bytes = take(version == 1 ? 2 : 4, "the header's length");
  std::uint32_t length = 0;
  std::memcpy(&length, length_bytes.data(), length_bytes.size());
  if (length > kMostHeader) {
    fail(name, "has a header of {} bytes, expected at most {}", length, kMostHeader);
  }
  return take(length, fmt::format("{} bytes of dictionary", length));
}
}  // namespace

Array parse_npy(std::string name, NextBytes next) {
  const std::string text = header_text(name, next);
  const Header header(name, text);
  const std::optional<Element> element = element_of(header.dtype());
  if (!element) {
    fail(name,
         "has dtype {}, expected f4, f8, i1 to i8, u1 to u8, b1 or U1 to U{}, little-endian: use "
         "astype()",
         io::quote(header.dtype()), kLongestText);
  }
  if (header.in_fortran_order()) {
    fail(name, "is in Fortran order, expected C order: save np.ascontiguousarray(x)");
  }
  return {std::move(name), *element, header.shape(), std::move(next)};
}

std::unique_ptr<Reader> open_npy(std::unique_ptr<Source> source, const Options& options,
                                 SharedVocabulary vocabulary) {
  const std::filesystem::path path = source->path();
  const std::string name = source->name();
  Arrays arrays{.format = Format::kNpy,
                .file = name,
                .x = parse_npy(name, bytes_of(std::move(source))),
                .y = labels_of(path, options),
                .stored = stored_bytes(path)};
  return read_arrays(std::move(arrays), options, std::move(vocabulary));
}

}  // namespace rwa::formats

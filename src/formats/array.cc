#include "formats/array.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <deque>
#include <limits>
#include <utility>

#include "base/counted.h"
#include "formats/parse.h"
#include "rwa/errors.h"

namespace rwa::formats {
namespace {
static_assert(std::endian::native == std::endian::little, "elements are copied as stored");

// Bytes per read: large enough to be efficient, small enough to stay in a core's cache.
constexpr std::size_t kPiece = std::size_t{1} << 18;

// malloc() maps such a block by itself, so that its memory goes back to the system when it is freed.
constexpr std::uint64_t kBlock = std::uint64_t{1} << 26;

template <typename T>
T load(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

// Calls `call` with a value of the element type.
template <typename Call>
auto with_type(Element element, Call call) {
  const bool is_signed = element.kind == Element::Kind::kSigned;
  if (element.kind == Element::Kind::kFloat) return element.bytes == 4 ? call(0.0F) : call(0.0);
  switch (element.bytes) {
    case 1:
      return is_signed ? call(std::int8_t{}) : call(std::uint8_t{});
    case 2:
      return is_signed ? call(std::int16_t{}) : call(std::uint16_t{});
    case 4:
      return is_signed ? call(std::int32_t{}) : call(std::uint32_t{});
    default:
      return is_signed ? call(std::int64_t{}) : call(std::uint64_t{});
  }
}

bool has_infinity(std::span<const float> values) {
  std::uint32_t found = 0;  // no early exit, so that the loop vectorises
  for (const float value : values) {
    found |= std::uint32_t{(std::bit_cast<std::uint32_t>(value) & 0x7FFFFFFF) == 0x7F800000};
  }
  return found != 0;
}

void append_utf8(std::string& text, std::uint32_t c) {
  const auto tail = [&](int shift) { text += static_cast<char>(0x80 | (c >> shift & 0x3F)); };
  if (c < 0x80) {
    text += static_cast<char>(c);
  } else if (c < 0x800) {
    text += static_cast<char>(0xC0 | c >> 6);
    tail(0);
  } else if (c < 0x10000) {
    text += static_cast<char>(0xE0 | c >> 12);
    tail(6), tail(0);
  } else {
    text += static_cast<char>(0xF0 | c >> 18);
    tail(12), tail(6), tail(0);
  }
}

bool is_character(std::uint32_t c) { return c < 0xD800 || (c >= 0xE000 && c <= 0x10FFFF); }
}  // namespace

std::string to_string(const ArrayShape& shape) {
  return fmt::format("({}{})", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
}

NextBytes bytes_of(std::unique_ptr<Source> source) {
  return [shared = std::shared_ptr<Source>(std::move(source))](std::span<std::byte> bytes) {
    return shared->read(bytes);
  };
}

Array::Array(std::string name, Element element, ArrayShape shape, NextBytes next)
    : name_(std::move(name)),
      element_(element),
      shape_(std::move(shape)),
      next_(std::move(next)),
      bytes_(element.bytes) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  for (const std::int64_t size : shape_) {
    if (size < 1 || bytes_ > kMost / static_cast<std::uint64_t>(size)) {
      throw InputError(
          fmt::format("{}: has shape {}, expected dimensions of at least 1 and less "
                      "than 2^63 bytes in total",
                      name_, to_string(shape_)));
    }
    bytes_ *= static_cast<std::uint64_t>(size);
  }
  buffer_.resize(std::min<std::uint64_t>(bytes_, kPiece / element_.bytes * element_.bytes));
}

std::span<const std::byte> Array::some(std::uint64_t most) {
  if (begin_ == end_) {
    const auto part =
        std::span(buffer_).first(std::min<std::uint64_t>(buffer_.size(), bytes_ - read_));
    const std::size_t found = next_(part);
    if (found < part.size()) {
      throw InputError(
          fmt::format("{}: has {} after the header, expected {}: the file is truncated", name_,
                      counted(read_ + found, "byte"), bytes_));
    }
    read_ += part.size();
    begin_ = 0;
    end_ = part.size();
  }
  const auto part = std::span(buffer_).subspan(
      begin_, std::min<std::uint64_t>(end_ - begin_, most * element_.bytes));
  begin_ += part.size();
  return part;
}

template <typename T, typename Convert>
void Array::fill(std::uint64_t count, std::vector<T>& out, Convert convert) {
  const auto append = [&](std::span<const std::byte> part, std::uint64_t taken) {
    const std::size_t before = out.size();
    out.resize(before + part.size() / element_.bytes);
    convert(part, std::span(out).subspan(before), taken - out.size());
  };
  out.clear();
  if (count > std::max<std::uint64_t>(out.capacity(), kPiece)) {
    std::deque<std::vector<std::byte>> blocks = take_blocks(count);
    out.reserve(count);
    for (; !blocks.empty(); blocks.pop_front()) append(blocks.front(), count);
    return;
  }
  while (out.size() < count) {
    const auto part = some(count - out.size());
    append(part, out.size() + part.size() / element_.bytes);
  }
}

std::deque<std::vector<std::byte>> Array::take_blocks(std::uint64_t count) {
  std::deque<std::vector<std::byte>> blocks;
  for (std::uint64_t left = count * element_.bytes; left > 0;) {
    const auto part = some(left / element_.bytes);
    if (blocks.empty() || blocks.back().capacity() - blocks.back().size() < part.size()) {
      blocks.emplace_back().reserve(std::max<std::uint64_t>(std::min(kBlock, left), part.size()));
    }
    blocks.back().insert(blocks.back().end(), part.begin(), part.end());
    left -= part.size();
  }
  return blocks;
}

void Array::numbers(std::uint64_t count, std::vector<float>& out) {
  fill(count, out, [&](std::span<const std::byte> from, std::span<float> to, std::uint64_t later) {
    with_type(element_, [&]<typename T>(T) {
      if constexpr (std::is_same_v<T, float>) {
        std::memcpy(to.data(), from.data(), from.size());
      } else {
        for (std::size_t i = 0; i < to.size(); ++i) {
          to[i] = static_cast<float>(load<T>(&from[i * sizeof(T)]));
        }
      }
    });
    if (element_.kind != Element::Kind::kFloat || !has_infinity(to)) return;
    const auto at = std::ranges::find_if(to, [](float value) { return std::isinf(value); });
    const auto index = static_cast<std::size_t>(at - to.begin());
    const double found = element_.bytes == 4 ? *at : load<double>(&from[index * sizeof(double)]);
    refuse(fmt::to_string(found), expected_of(Number::kTooLarge), later + to.size() - 1 - index);
  });
}

void Array::raw(std::uint64_t count, std::vector<std::uint8_t>& out) {
  fill(count, out,
       [](std::span<const std::byte> from, std::span<std::uint8_t> to, std::uint64_t /*later*/) {
         std::memcpy(to.data(), from.data(), from.size());
       });
}

void Array::skip(std::uint64_t count) {
  while (count > 0) count -= some(count).size() / element_.bytes;
}

std::int64_t Array::integer() {
  const std::byte* from = some(1).data();
  return with_type(element_, [&]<typename T>(T) -> std::int64_t {
    const T value = load<T>(from);
    if constexpr (std::is_integral_v<T>) {
      if (std::in_range<std::int64_t>(value)) return static_cast<std::int64_t>(value);
    }
    refuse(fmt::to_string(value), "an integer below 2^63");
  });
}

std::string_view Array::word() {
  const std::span<const std::byte> from = some(1);
  word_.clear();
  if (element_.kind != Element::Kind::kText) {
    with_type(element_, [&]<typename T>(T) {
      const T value = load<T>(from.data());
      if constexpr (std::is_floating_point_v<T>) {
        if (!std::isfinite(value)) refuse(fmt::to_string(value), "a label");
        word_ = fmt::to_string(value == 0 ? 0 : value);  // -0 is 0
      } else {
        word_ = fmt::to_string(
            static_cast<std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>(
                value));
      }
    });
    return word_;
  }
  std::size_t end = from.size();
  while (end > 0 && load<std::uint32_t>(&from[end - 4]) == 0) end -= 4;
  for (std::size_t i = 0; i < end; i += 4) {
    const auto c = load<std::uint32_t>(&from[i]);
    if (!is_character(c)) refuse(fmt::format("the code point {:#x}", c), "valid Unicode");
    append_utf8(word_, c);
  }
  return word_;
}

void Array::finish() {
  if (std::byte more{}; next_(std::span(&more, 1)) > 0) {
    throw InputError(
        fmt::format("{}: has more bytes after the header than the {} expected", name_, bytes_));
  }
}

void Array::refuse(std::string_view found, std::string_view expected, std::uint64_t back) const {
  std::uint64_t rest = (read_ - (end_ - begin_)) / element_.bytes - 1 - back;
  ArrayShape place(shape_.size());
  for (std::size_t i = shape_.size(); i-- > 0;) {
    place[i] = static_cast<std::int64_t>(rest % static_cast<std::uint64_t>(shape_[i]));
    rest /= static_cast<std::uint64_t>(shape_[i]);
  }
  throw InputError(fmt::format("{}: found {} at [{}], expected {}", name_, found,
                               fmt::join(place, ", "), expected));
}

}  // namespace rwa::formats

// src/formats/array.h: a multi-dimensional array read as a stream of elements, in storage order.
// Its header is not trusted: memory grows with the bytes actually read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/source.h"

namespace rwa::formats {

// The element type, little-endian. Text is UTF-32, zero-padded to `bytes`.
struct Element {
  enum class Kind { kFloat, kSigned, kUnsigned, kBool, kText };
  Kind kind = Kind::kFloat;
  std::size_t bytes = 4;
};

using ArrayShape = std::vector<std::int64_t>;
// In NumPy's notation: (3, 4).
std::string to_string(const ArrayShape& shape);

// Fills `bytes` with the next bytes. Returns how many were read: fewer only at the end.
using NextBytes = std::function<std::size_t(std::span<std::byte> bytes)>;
NextBytes bytes_of(std::unique_ptr<Source> source);

// Limit on the numbers in one sequence, and on decompressed data held in memory: 1 GiB.
inline constexpr std::uint64_t kMostNumbers = std::uint64_t{1} << 28;

class Array {
 public:
  // `next` supplies the bytes after the header. Throws InputError if a dimension is less than 1 or
  // the array has 2^63 bytes or more.
  Array(std::string name, Element element, ArrayShape shape, NextBytes next);

  [[nodiscard]] const std::string& name() const { return name_; }  // for messages
  [[nodiscard]] const Element& element() const { return element_; }
  [[nodiscard]] const ArrayShape& shape() const { return shape_; }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

  // The following functions take the next elements and throw InputError if the bytes end early.
  // Resizes `out` to `count` and overwrites it. Refuses a number too large for a float.
  void numbers(std::uint64_t count, std::vector<float>& out);
  // The same for unsigned bytes, without conversion.
  void raw(std::uint64_t count, std::vector<std::uint8_t>& out);
  void skip(std::uint64_t count);
  // One element of an integer array.
  std::int64_t integer();
  // One element as text: 7, 0.5, or UTF-8. Refuses NaN and infinity. Valid until the next call.
  std::string_view word();
  // Call after the last element. Refuses trailing bytes.
  void finish();

  // Throws InputError: "NAME: found FOUND at [2, 0, 5], expected EXPECTED". The index is that of
  // the element taken `back` elements before the last one.
  [[noreturn]] void refuse(std::string_view found, std::string_view expected,
                           std::uint64_t back = 0) const;

 private:
  // Returns 1 to `most` elements.
  std::span<const std::byte> some(std::uint64_t most);
  // Fills `out` by calls of convert(bytes, part of `out`, number of later elements already taken).
  template <typename T, typename Convert>
  void fill(std::uint64_t count, std::vector<T>& out, Convert convert);
  // Takes elements as they are stored. So many may need less memory than as numbers, and they may
  // not be there: numbers get memory afterwards.
  std::deque<std::vector<std::byte>> take_blocks(std::uint64_t count);

  std::string name_;
  Element element_;
  ArrayShape shape_;
  NextBytes next_;
  std::uint64_t bytes_ = 0;        // of the whole array
  std::uint64_t read_ = 0;         // bytes read from next_
  std::vector<std::byte> buffer_;  // whole elements; those in [begin_, end_) are not taken yet
  std::size_t begin_ = 0, end_ = 0;
  std::string word_;
};

// .npy, NumPy's format for one array: a magic number, the version, the header's length, the header
// (a Python dictionary), then the elements.
inline constexpr std::string_view kNpyMagic = "\x93NUMPY";

// Reads the header; the array reads the rest. Throws InputError if this is not an .npy file, and
// for arrays of Python objects, records or half-precision floats, big-endian arrays, and Fortran
// order.
Array parse_npy(std::string name, NextBytes next);

// IDX, the format of the MNIST files: a magic number and the dimensions, each 32 bits big-endian,
// then the elements. The magic number is two zero bytes, the type (8: unsigned byte) and the number
// of dimensions.
inline constexpr std::string_view kIdxMagic{"\0\0\x08", 3};

// Reads the header. Throws InputError unless the elements are unsigned bytes with one to three
// dimensions.
Array parse_idx(std::unique_ptr<Source> source);

// Returns the bytes of an array of shape (N, item...). The file may be compressed; memory grows
// with the bytes actually read. Throws InputError for any other shape, a truncated file, or N not
// in 1..most, and ResourceError if the file cannot be read.
std::vector<std::uint8_t> read_idx(const std::filesystem::path& file,
                                   std::span<const std::int64_t> item, std::int64_t most);

}  // namespace rwa::formats

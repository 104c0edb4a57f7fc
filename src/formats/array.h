// src/formats/array.h: an array of a few dimensions that comes as bytes, taken in the order in
// which they lie there. What its header says is not trusted: memory is taken as the bytes come.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/source.h"

namespace rwa::formats {

// What an array consists of, little-endian; text is UTF-32, padded with zeros to `bytes`.
struct Element {
  enum class Kind { kFloat, kSigned, kUnsigned, kBool, kText };
  Kind kind = Kind::kFloat;
  std::size_t bytes = 4;
};

using ArrayShape = std::vector<std::int64_t>;
// As NumPy writes it: (3, 4).
std::string to_string(const ArrayShape& shape);

// Fills `bytes` with the next ones; returns how many there were, fewer only at the end.
using NextBytes = std::function<std::size_t(std::span<std::byte> bytes)>;
NextBytes bytes_of(std::unique_ptr<Source> source);

// Of one sequence, and of what is not in the file as it is: as much as the longest line of a text
// has.
inline constexpr std::uint64_t kMostNumbers = Source::kLongestLine / sizeof(float);

class Array {
 public:
  // `next` gives what follows the header. Throws InputError for a dimension of less than 1 and for
  // one of 2^63 bytes or more.
  Array(std::string name, Element element, ArrayShape shape, NextBytes next);

  [[nodiscard]] const std::string& name() const { return name_; }  // for messages
  [[nodiscard]] const Element& element() const { return element_; }
  [[nodiscard]] const ArrayShape& shape() const { return shape_; }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

  // The next elements. Each throws InputError where the bytes end before that. Into `out`, which
  // has `count` then, and need not be empty. Refuses a number too large for a float.
  void numbers(std::uint64_t count, std::vector<float>& out);
  // The same of unsigned bytes, as they are.
  void raw(std::uint64_t count, std::vector<std::uint8_t>& out);
  void skip(std::uint64_t count);
  // One, of an array of integers.
  std::int64_t integer();
  // One as a word: 7, 0.5, text in UTF-8. Refuses what is not a number. Valid until the next call.
  std::string_view word();
  // To be called when all is taken: refuses bytes that follow.
  void finish();

  // Throws InputError: "NAME: found FOUND at [2, 0, 5], expected EXPECTED". The place is that of
  // the element taken last but `back`.
  [[noreturn]] void refuse(std::string_view found, std::string_view expected,
                           std::uint64_t back = 0) const;

 private:
  // Some elements, at most `most`, at least one.
  std::span<const std::byte> some(std::uint64_t most);
  template <typename T, typename Convert>
  void fill(std::uint64_t count, std::vector<T>& out, Convert convert);

  std::string name_;
  Element element_;
  ArrayShape shape_;
  NextBytes next_;
  std::uint64_t bytes_ = 0;  // of the whole
  std::uint64_t read_ = 0;   // bytes that next_ has given
  std::vector<std::byte>
      buffer_;  // whole elements, of which those from begin_ to end_ are not taken
  std::size_t begin_ = 0, end_ = 0;
  std::string word_;
};

// .npy, NumPy's format of one array: a magic number, the version, the header's length and the
// header, which is a Python dictionary, then the elements.
inline constexpr std::string_view kNpyMagic = "\x93NUMPY";

// Reads the header; the array gives what follows. Throws InputError for what is no .npy, and for an
// array of Python objects, of records, of halves, with the most significant byte first, or in
// Fortran's order.
Array parse_npy(std::string name, NextBytes next);

// IDX, the format of the MNIST files: a magic number and the sizes of an array, 32 bits each, most
// significant byte first, then its bytes. The magic number is two zero bytes and the type, unsigned
// bytes; the number of dimensions follows.
inline constexpr std::string_view kIdxMagic{"\0\0\x08", 3};

// Reads the header. Throws InputError for another type of elements and for none or more than three
// dimensions.
Array parse_idx(std::unique_ptr<Source> source);

// The bytes of an array whose items, counted by its first dimension, have the shape `item`. The
// file may be packed. Takes no more memory than the file has bytes to fill. Throws InputError for
// another array, for one that is not whole, without items or with more than `most`, and
// ResourceError where the file cannot be read.
std::vector<std::uint8_t> read_idx(const std::filesystem::path& file,
                                   std::span<const std::int64_t> item, std::int64_t most);

}  // namespace rwa::formats

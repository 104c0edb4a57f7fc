// src/formats/source.h: the input of a reader: a file, compressed or not, or standard input. Its
// beginning can be inspected before it is consumed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "formats/sequence.h"
#include "io/unpacked.h"

namespace rwa::formats {

class Source {
 public:
  explicit Source(const std::filesystem::path& path);  // "-": standard input

  [[nodiscard]] const std::string& name() const { return content_.name(); }  // for messages
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  // Returns the next `most` bytes without consuming them; fewer only at the end. Valid until the
  // next call.
  std::string_view peek(std::size_t most);
  // Reads the next line, without its end (\n, \r\n, or \r in a file without \n) and without a byte
  // order mark at the beginning of the file. Returns false at the end of the file. `line` is valid
  // until the next call. Does not wait for standard input beyond the line. Throws InputError for a
  // longer line and for a zero byte, which is not text.
  struct Longest {
    std::size_t bytes;
    std::string_view advice;  // what to do about a longer line
  };
  static constexpr Longest kLongestLine = {std::size_t{64} << 20, "save long sequences as .npy"};
  bool line(std::string_view& line, const Longest& longest = kLongestLine);
  // The same, but a line of more than `most` bytes comes in parts. All but the last end with
  // something else than blanks, if there is anything else in them.
  bool part_of_line(std::string_view& part, std::size_t most);
  // Whether the last part is the first or the last of its line.
  [[nodiscard]] bool begins_line() const { return begins_line_; }
  [[nodiscard]] bool ends_line() const { return ends_line_; }
  [[nodiscard]] std::int64_t line_number() const { return line_; }  // of the last line read, from 1
  // Fills `bytes` with the next bytes. Returns how many were read: fewer only at the end.
  std::size_t read(std::span<std::byte> bytes);

  // Throws InputError for the first byte of `part`, which is in `line`, that is not UTF-8. Whatever
  // is kept of a text passes this: ids, names, labels and symbols. Comments need not.
  void require_utf8(std::string_view line, std::string_view part) const;

  // Returns the place of `at`, which points into `line`: the last line or part of one, or the last few
  // lines joined by \n.
  [[nodiscard]] Place place_of(std::string_view line, const char* at) const;
  // Throws InputError: "FILE:LINE:COLUMN: found FOUND, expected EXPECTED", for the place of `at`.
  // Columns count UTF-8 characters from 1.
  [[noreturn]] void refuse(std::string_view line, const char* at, std::string_view found,
                           std::string_view expected) const;
  // The same without a column: "FILE:LINE: …".
  [[noreturn]] void refuse(std::int64_t line, std::string_view found,
                           std::string_view expected) const;

 private:
  // Makes room for `room` more bytes and reads some. Returns false at the end.
  bool more(std::size_t room);
  void make_room(std::size_t room);
  // Returns the length of the next line, which is read; more than `most` if it has more bytes.
  std::size_t find_end(std::size_t most);
  void end_lines(std::span<char> text);

  // From malloc(), since realloc() moves large blocks without a copy.
  struct Free {
    void operator()(char* bytes) const { std::free(bytes); }
  };

  std::filesystem::path path_;
  io::Unpacked content_;
  std::unique_ptr<char[], Free> buffer_;
  std::size_t size_ = 0;             // of buffer_
  std::size_t begin_ = 0, end_ = 0;  // range of buffer_ read but not consumed
  std::int64_t line_ = 0;
  bool begins_line_ = true, ends_line_ = true;
  std::int64_t columns_before_ = 0, columns_after_ = 0;  // the last part of a line in several
  std::optional<bool> by_carriage_returns_;  // whether lines end so; empty: not known yet
};

// Removes a leading byte order mark.
std::string_view without_mark(std::string_view text);

// Returns the lines that guesses are based on, without a byte order mark: the complete lines of the
// next MiB, or if the first line is longer, that line up to `longest` bytes.
inline constexpr std::size_t kMostBeginning = std::size_t{8} << 20;
std::string_view beginning(Source& source, std::size_t longest = kMostBeginning);

// Takes the first line, without its line break, off `lines`. Returns false if there is none.
bool next_line(std::string_view& lines, std::string_view& line);

}  // namespace rwa::formats

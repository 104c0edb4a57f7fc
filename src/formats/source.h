// src/formats/source.h: what a reader of one format reads from: a file, plain or packed, or the
// standard input; its beginning can be looked at before it is taken.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/unpacked.h"

namespace rwa::formats {

class Source {
 public:
  explicit Source(const std::filesystem::path& path);  // "-": the standard input

  [[nodiscard]] const std::string& name() const { return content_.name(); }  // for messages
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  // The content from where it stands, at most `most` bytes, of which none is taken; less only where
  // the content ends. Valid until the next call.
  std::string_view peek(std::size_t most);
  // The next line without its end (\n or \r\n) and, at the beginning of a file, without a byte
  // order mark; false at the end of the file. Valid until the next call. Of the standard input, no
  // more is waited for than the line. Throws InputError for a line of more than kLongestLine, or
  // one with a zero byte: that is no text.
  static constexpr std::size_t kLongestLine = std::size_t{1} << 30;
  bool line(std::string_view& line);
  [[nodiscard]] std::int64_t line_number() const { return line_; }  // of the last line, from 1
  // Fills `bytes` with the next ones; returns how many there were, fewer only at the end.
  std::size_t read(std::span<std::byte> bytes);

  // Throws InputError: "FILE:LINE:COLUMN: found FOUND, expected EXPECTED". `line` is the last line,
  // or the last few with a \n between them, and `at` points into it; the column is counted in
  // characters (UTF-8), from 1.
  [[noreturn]] void refuse(std::string_view line, const char* at, std::string_view found,
                           std::string_view expected) const;
  // The same without a column: "FILE:LINE: …".
  [[noreturn]] void refuse(std::int64_t line, std::string_view found,
                           std::string_view expected) const;

 private:
  // Makes room for `room` bytes beyond what is there, and reads some of them; false where there is
  // nothing more.
  bool more(std::size_t room);

  std::filesystem::path path_;
  io::Unpacked content_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;  // of what was read and is not taken
  std::int64_t line_ = 0;
};

// Without a byte order mark before it.
std::string_view without_mark(std::string_view text);

// Of what stands from here on in the source, the lines that guesses are made from, without a byte
// order mark: the whole ones of the first MiB; where the first is longer, that one.
std::string_view beginning(Source& source);

// Takes the first line, without its end, off `lines`; false where there is none.
bool next_line(std::string_view& lines, std::string_view& line);

}  // namespace rwa::formats

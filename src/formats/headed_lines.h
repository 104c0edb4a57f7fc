// src/formats/headed_lines.h: the lines of a file that begins with a header of "@key value" lines
// up to @data: .ts, ARFF and .tsf. Blank lines and comments are skipped; keys match in any case.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "formats/sequence.h"
#include "formats/source.h"

namespace rwa::formats {

// Limit on the attributes and classes that a header lists, all together: each takes far more memory
// than its letters in the file.
inline constexpr std::size_t kMostListed = 1 << 16;

class HeadedLines {
 public:
  // Comments are lines that begin with `comment`.
  HeadedLines(Source& source, char comment) : source_(source), comment_(comment) {}

  // Goes to the next line. Returns false at the end of the file.
  bool next();
  // Whether the last next() read a line: one can go on after it.
  [[nodiscard]] bool is_read() const { return is_read_; }
  [[nodiscard]] std::string_view text() const { return text_; }  // without blanks around it
  [[nodiscard]] std::int64_t number() const { return source_.line_number(); }
  [[nodiscard]] Place place(const char* at) const { return source_.place_of(line_, at); }
  // Throws InputError about position `at` of the line.
  [[noreturn]] void refuse(const char* at, std::string_view found, std::string_view expected) const;
  // The same for a part of the line that is not UTF-8.
  void require_utf8(std::string_view part) const { source_.require_utf8(line_, part); }

  // Goes to the next line of the header. Returns false after @data.
  bool next_key();
  [[nodiscard]] bool is(std::string_view key) const;
  [[nodiscard]] std::string_view value() const { return value_; }  // what follows the key
  // The value as true or false, or as a whole number of at least 1.
  [[nodiscard]] bool yes() const;
  [[nodiscard]] std::size_t count() const;
  // Goes to the first line of data, which must exist.
  void begin_data();
  // Counts one of the things that the header lists, such as "classes". Refuses the line if they are
  // too many.
  void count_listed(std::string_view things);
  // Throws InputError about the key of the line; `known` are those of the format, with their @.
  [[noreturn]] void refuse_key(const std::vector<std::string>& known) const;

 private:
  Source& source_;
  char comment_;
  bool is_read_ = false;
  std::size_t listed_ = 0;
  std::string_view line_, text_, key_, value_;
};

// "as line 3 says (@missing false): correct that line or the data"
std::string as_line_says(std::int64_t line, std::string_view key_and_value);

}  // namespace rwa::formats

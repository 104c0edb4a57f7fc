// src/formats/table_rows.h: splits a table into rows and fields as in RFC 4180: a quoted field may
// contain delimiters, line breaks and doubled quotes. The delimiter is guessed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/parse.h"
#include "formats/source.h"

namespace rwa::formats {

inline constexpr char kByBlanks = ' ';  // delimiter of one or more blanks

// Limits, since a file of separators would otherwise take many times its size.
inline constexpr std::size_t kMostFields = 1 << 19;  // of a row
inline constexpr Source::Longest kLongestRow = {kMostBeginning,
                                                "a long series needs a row per step"};

struct Dialect {
  char separator = ',';    // or kByBlanks
  std::size_t fields = 1;  // most common number of fields in a row, at most kMostFields + 1
  char decimal = '.';      // or ','
};

// Guesses the delimiter that splits the first rows most evenly (tab, semicolon, comma or blanks),
// and the decimal mark.
Dialect guess_dialect(std::string_view lines);

// Skips empty lines, and before the first row lines that begin with # and Excel's "sep=;".
class RowSplitter {
 public:
  using NextLine = std::function<bool(std::string_view&)>;
  // Keeps at most `most` fields of a row, and one more to show that there are more.
  RowSplitter(char separator, NextLine next_line, std::size_t most = kMostFields)
      : separator_(separator), next_line_(std::move(next_line)), most_(most) {}

  enum class Found { kRow, kEnd, kOpenQuote, kTextAfterQuote, kTooLong };
  Found next();

  // Fields of the last row, valid until the next call.
  [[nodiscard]] std::span<const std::string_view> fields() const { return fields_; }
  // Their number, with those that are not kept.
  [[nodiscard]] std::size_t count() const { return count_; }
  // The unmodified lines of the row.
  [[nodiscard]] std::string_view text() const { return text_; }
  // Where a field begins in text(), and where a malformed row is wrong.
  [[nodiscard]] const char* begin_of(std::size_t field) const;
  [[nodiscard]] const char* wrong() const { return text_.data() + wrong_; }
  // Whether an empty line precedes the row, unless it is the first.
  [[nodiscard]] bool after_empty_line() const { return after_empty_line_; }

 private:
  struct Piece {
    std::size_t begin, size;                     // in lines_
    std::size_t clean = std::string_view::npos;  // where it begins in clean_, if it is there
  };

  bool next_row_line();
  void split_plain();
  void add_field(std::string_view field);
  void add_piece(Piece piece);
  Found split_quoted();
  Found take_quoted(std::size_t& at);
  Found find_closing_quote(std::size_t& at, bool& doubled);
  [[nodiscard]] Piece without_doubled_quotes(std::size_t begin, std::size_t end);
  void take_plain(std::size_t& at);
  [[nodiscard]] std::size_t skip_blanks(std::size_t at) const;

  char separator_;
  NextLine next_line_;
  std::size_t most_;
  std::size_t count_ = 0;
  bool started_ = false;
  bool after_empty_line_ = false;
  std::string_view text_;
  std::vector<std::string_view> fields_;
  std::size_t wrong_ = 0;
  // For a row with quotes: its lines, the fields with doubled quotes resolved, and all positions.
  bool quoted_ = false;
  std::string lines_, clean_;
  std::vector<Piece> pieces_;
};

// Reads the rows of a source. Refuses rows with another number of fields. After an empty line has
// been refused, next() returns the row below it.
class Rows {
 public:
  // The dialect's `fields` is the number of fields of every row.
  Rows(Source& source, const Dialect& dialect);

  bool next();
  // After next() has thrown: whether the row is yet to be returned, and whether the source itself
  // cannot go on.
  [[nodiscard]] bool is_held() const { return is_held_; }
  [[nodiscard]] bool is_stuck() const { return is_stuck_; }
  std::string_view operator[](std::size_t column) const { return splitter_.fields()[column]; }
  // Refuse invalid UTF-8. word() trims blanks.
  [[nodiscard]] std::string_view text(std::size_t column) const;
  [[nodiscard]] std::string_view word(std::size_t column) const;
  [[nodiscard]] Number number(std::size_t column, float& value) const {
    return parse_number((*this)[column], dialect_.decimal, value);
  }
  [[nodiscard]] char decimal() const { return dialect_.decimal; }
  [[nodiscard]] Place place_of(std::size_t column) const;
  [[nodiscard]] std::int64_t line() const;  // first line of the row

  [[noreturn]] void refuse(std::size_t column, std::string_view found,
                           std::string_view expected) const;

 private:
  void check_count() const;

  Source& source_;
  RowSplitter splitter_;
  Dialect dialect_;
  RowSplitter::Found found_ = RowSplitter::Found::kEnd;
  bool is_held_ = false, is_stuck_ = false;
};

}  // namespace rwa::formats

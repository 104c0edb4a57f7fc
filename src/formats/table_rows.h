// src/formats/table_rows.h: the rows of a table and their fields, as RFC 4180 has them: a field in
// quotes may hold separators, line breaks and, doubled, quotes. The separator is recognised.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/source.h"

namespace rwa::formats {

inline constexpr char kByBlanks = ' ';  // as a separator: any number of blanks

struct Dialect {
  char separator = ',';    // or kByBlanks
  std::size_t fields = 1;  // that most rows have
};

// The separator that divides the first rows most evenly: a tab, a semicolon, a comma, or blanks.
Dialect guess_dialect(std::string_view lines);

// Lines that are empty, or begin with # before the first row, are no rows.
class RowSplitter {
 public:
  using NextLine = std::function<bool(std::string_view&)>;
  RowSplitter(char separator, NextLine next_line)
      : separator_(separator), next_line_(std::move(next_line)) {}

  enum class Found { kRow, kEnd, kOpenQuote, kTextAfterQuote };
  Found next();

  // Of the last row, valid until the next.
  [[nodiscard]] std::span<const std::string_view> fields() const { return fields_; }
  // Its lines, as they are.
  [[nodiscard]] std::string_view text() const { return text_; }
  // Where a field begins in text(); of a row that was not found whole, where it is wrong.
  [[nodiscard]] const char* begin_of(std::size_t field) const;
  [[nodiscard]] const char* wrong() const { return text_.data() + wrong_; }
  // An empty line stands above it, and it is not the first row.
  [[nodiscard]] bool after_empty_line() const { return after_empty_line_; }

 private:
  struct Piece {
    std::size_t begin, size;                     // in lines_
    std::size_t clean = std::string_view::npos;  // where it begins in clean_, if it stands there
  };

  bool next_row_line();
  void split_plain();
  Found split_quoted();
  Found take_quoted(std::size_t& at);
  bool find_closing_quote(std::size_t& at, bool& doubled);
  void take_doubled_quotes(Piece& piece);
  void take_plain(std::size_t& at);
  [[nodiscard]] std::size_t skip_blanks(std::size_t at) const;

  char separator_;
  NextLine next_line_;
  bool started_ = false;
  bool after_empty_line_ = false;
  std::string_view text_;
  std::vector<std::string_view> fields_;
  std::size_t wrong_ = 0;
  // Of a row with quotes: its lines, where its fields are, and those that had quotes inside.
  bool quoted_ = false;
  std::string lines_, clean_;
  std::vector<Piece> pieces_;
};

// The rows of a source, each of `columns` fields; others are refused.
class Rows {
 public:
  Rows(Source& source, char separator, std::size_t columns);

  bool next();
  std::string_view operator[](std::size_t column) const { return splitter_.fields()[column]; }
  // Refused where it is not UTF-8; a word is without blanks around it.
  [[nodiscard]] std::string_view text(std::size_t column) const;
  [[nodiscard]] std::string_view word(std::size_t column) const;
  [[nodiscard]] std::int64_t line() const;  // where the row begins

  [[noreturn]] void refuse(std::size_t column, std::string_view found,
                           std::string_view expected) const;

 private:
  Source& source_;
  RowSplitter splitter_;
  std::size_t columns_;
};

}  // namespace rwa::formats

// src/formats/table_columns.h: the names and contents of a table's columns, from its first rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/table_rows.h"

namespace rwa::formats {

// The first rows, used to guess the delimiter, the header and the roles of columns.
class TableSample {
 public:
  // `lines` must outlive the sample. Skips malformed rows: the reader of the table reports them.
  // The decimal mark is guessed if it is not given.
  explicit TableSample(std::string_view lines, std::optional<char> decimal = {});

  [[nodiscard]] const Dialect& dialect() const { return dialect_; }
  [[nodiscard]] bool has_header() const { return has_header_; }
  [[nodiscard]] std::size_t columns() const { return names_.size(); }
  [[nodiscard]] std::size_t rows() const { return cells_.size() / dialect_.fields; }
  // Whether anything follows the first row, well-formed or not.
  [[nodiscard]] bool has_rows() const { return has_rows_; }
  // From the header, or else column numbers from 1. A column without a name in the header is called
  // "column N".
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  [[nodiscard]] bool is_named(std::size_t column) const {
    return has_header_ && !first_[column].empty();
  }
  [[nodiscard]] std::optional<std::size_t> find(std::string_view name) const;

  // Rows count from the one below the header. Blanks are trimmed; numbers have a decimal point.
  [[nodiscard]] std::string_view cell(std::size_t row, std::size_t column) const {
    return cells_[row * dialect_.fields + column];
  }
  [[nodiscard]] std::int64_t line(std::size_t row) const { return lines_[row]; }
  // Whether at least half of the non-missing cells are numbers.
  [[nodiscard]] bool is_number(std::size_t column) const;
  [[nodiscard]] bool is_whole(std::size_t column) const;
  // Whether all cells are missing.
  [[nodiscard]] bool is_empty(std::size_t column) const;
  // Whether cells are text that begins with a number, mostly different ones: $1,000.50 or 5 kg.
  [[nodiscard]] bool is_like_numbers(std::size_t column) const;
  // Whether cells are single characters, or missing.
  [[nodiscard]] bool is_of_letters(std::size_t column) const;
  [[nodiscard]] std::size_t distinct(std::size_t column) const;
  // Whether each value occurs at least twice on average.
  [[nodiscard]] bool repeats(std::size_t column) const { return 2 * distinct(column) <= rows(); }
  // Number of rows with the same value as the row above.
  [[nodiscard]] std::size_t same_as_above(std::size_t column) const;

 private:
  using Row = std::vector<std::string_view>;

  void read(std::string_view lines);
  [[nodiscard]] bool first_is_header() const;
  [[nodiscard]] bool has_index() const;

  Dialect dialect_;
  bool has_header_ = false;
  bool has_rows_ = false;
  std::vector<std::string> names_;
  Row first_;                        // the first row, header or not
  Row cells_;                        // of the other rows with the usual number of fields
  std::vector<std::int64_t> lines_;  // where those rows begin
  std::int64_t first_line_ = 0;
  std::deque<std::string> unquoted_;  // cells that differ from the text because of quotes
};

// Find columns by their usual names. An id is a word or a whole number.
std::optional<std::size_t> find_id(const TableSample& sample);
std::optional<std::size_t> find_time(const TableSample& sample);
std::optional<std::size_t> find_target(const TableSample& sample);
// Finds a column named by the options. Throws ConfigError, with the nearest name, if it is unknown.
std::size_t column_named(const std::string& name, const TableSample& sample, std::string_view file);

}  // namespace rwa::formats

// src/formats/table_columns.h: the names and contents of a table's columns, from its first rows.
#pragma once

#include <cstddef>
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
  explicit TableSample(std::string_view lines);

  [[nodiscard]] char separator() const { return dialect_.separator; }
  [[nodiscard]] bool has_header() const { return has_header_; }
  [[nodiscard]] std::size_t columns() const { return names_.size(); }
  [[nodiscard]] std::size_t rows() const { return cells_.size() / dialect_.fields; }
  // Whether anything follows the first row, well-formed or not.
  [[nodiscard]] bool has_rows() const { return has_rows_; }
  // From the header, or else column numbers from 1.
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  [[nodiscard]] std::optional<std::size_t> find(std::string_view name) const;

  // Rows count from the one below the header. Blanks are trimmed.
  [[nodiscard]] std::string_view cell(std::size_t row, std::size_t column) const {
    return cells_[row * dialect_.fields + column];
  }
  // Whether at least half of the non-missing cells are numbers.
  [[nodiscard]] bool is_number(std::size_t column) const;
  [[nodiscard]] bool is_whole(std::size_t column) const;
  [[nodiscard]] std::size_t distinct(std::size_t column) const;
  // Whether each value occurs at least twice on average.
  [[nodiscard]] bool repeats(std::size_t column) const { return 2 * distinct(column) <= rows(); }
  // Number of rows with the same value as the row above.
  [[nodiscard]] std::size_t same_as_above(std::size_t column) const;

 private:
  using Row = std::vector<std::string_view>;

  void read(std::string_view lines);
  [[nodiscard]] bool first_is_header() const;

  Dialect dialect_;
  bool has_header_ = false;
  bool has_rows_ = false;
  std::vector<std::string> names_;
  Row first_;                         // the first row, header or not
  Row cells_;                         // of the other rows with the usual number of fields
  std::deque<std::string> unquoted_;  // cells that differ from the text because of quotes
};

// Find columns by their usual names. An id is a word or a whole number.
std::optional<std::size_t> find_id(const TableSample& sample);
std::optional<std::size_t> find_time(const TableSample& sample);
std::optional<std::size_t> find_target(const TableSample& sample);
bool is_usual_for_text(std::string_view name);
// Finds a column named by the options. Throws ConfigError, with the nearest name, if it is unknown.
std::size_t column_named(const std::string& name, const TableSample& sample, std::string_view file);

// Lists names for a message, abbreviated if there are many.
std::string listed(const std::vector<std::string>& names);

}  // namespace rwa::formats

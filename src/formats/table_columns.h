// src/formats/table_columns.h: the columns of a table, as its beginning shows them: what they are
// called and what stands in them.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/table_rows.h"

namespace rwa::formats {

// The first rows, which the separator, the header and the roles of columns are guessed from.
class TableSample {
 public:
  // Of some lines, which must last as long as the sample. What is wrong in them is left out: the
  // reader of the table will come upon it.
  explicit TableSample(std::string_view lines);

  [[nodiscard]] char separator() const { return dialect_.separator; }
  [[nodiscard]] bool has_header() const { return has_header_; }
  [[nodiscard]] std::size_t columns() const { return names_.size(); }
  [[nodiscard]] std::size_t rows() const { return cells_.size() / dialect_.fields; }
  // There is something below the first row, be it right or wrong.
  [[nodiscard]] bool has_rows() const { return has_rows_; }
  // As the header has them; where there is none, their numbers, from 1.
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  [[nodiscard]] std::optional<std::size_t> find(std::string_view name) const;

  // Of the rows below the header, without blanks around it.
  [[nodiscard]] std::string_view cell(std::size_t row, std::size_t column) const {
    return cells_[row * dialect_.fields + column];
  }
  // At least half of what stands in it are numbers.
  [[nodiscard]] bool is_number(std::size_t column) const;
  [[nodiscard]] bool is_whole(std::size_t column) const;
  [[nodiscard]] std::size_t distinct(std::size_t column) const;
  // Values come again: each stands in two rows, on average.
  [[nodiscard]] bool repeats(std::size_t column) const { return 2 * distinct(column) <= rows(); }
  // In how many rows there stands the same as above.
  [[nodiscard]] std::size_t same_as_above(std::size_t column) const;

 private:
  using Row = std::vector<std::string_view>;

  void read(std::string_view lines);
  [[nodiscard]] bool first_is_header() const;

  Dialect dialect_;
  bool has_header_ = false;
  bool has_rows_ = false;
  std::vector<std::string> names_;
  Row first_;                         // row, header or not
  Row cells_;                         // of all others that have as many fields as most
  std::deque<std::string> unquoted_;  // those that do not stand like this in the lines
};

// By the names that such columns usually have. An id is a word or a whole number.
std::optional<std::size_t> find_id(const TableSample& sample);
std::optional<std::size_t> find_time(const TableSample& sample);
std::optional<std::size_t> find_target(const TableSample& sample);
bool is_usual_for_text(std::string_view name);
// By a name that the options give. Throws ConfigError, with the nearest, for an unknown one.
std::size_t column_named(const std::string& name, const TableSample& sample, std::string_view file);

// Names for a message, and not more than a few.
std::string listed(const std::vector<std::string>& names);

}  // namespace rwa::formats

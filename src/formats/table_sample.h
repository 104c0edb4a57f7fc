// src/formats/table_sample.h: the beginning of a table, which its separator, its header and the roles of its
// columns are guessed from.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/table_dialect.h"

namespace rwa::formats {

class Sample {
 public:
  // Of some lines, which must last as long as the sample. What is wrong in them is left out: who reads
  // the table will come upon it.
  explicit Sample(std::string_view lines);

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

}  // namespace rwa::formats

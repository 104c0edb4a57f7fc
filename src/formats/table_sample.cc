#include "formats/table_sample.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "formats/guess.h"
#include "formats/number.h"
#include "formats/table_names.h"
#include "formats/table_row.h"
#include "formats/words.h"

namespace rwa::formats {
namespace {
Number kind_of(std::string_view cell) {
  float value = 0;
  return parse_number(cell, value);
}

// One that is hardly anything but the name of a column.
bool is_role(std::string_view cell) {
  return cell.size() > 1 && (is_one_of(cell, kIdNames) || is_one_of(cell, kTimeNames) ||
                             is_one_of(cell, kTargetNames));
}

// One with a decimal comma is meant to be a number, and refused as one.
bool has_decimal_comma(std::string_view cell) {
  std::string text(cell);
  const std::size_t comma = text.find(',');
  if (comma == text.npos) return false;
  text[comma] = '.';
  return kind_of(text) == Number::kRead;
}
}  // namespace

Sample::Sample(std::string_view lines) : dialect_(guess_dialect(lines)) {
  read(lines);
  has_header_ = !first_.empty() && first_is_header();
  if (!has_header_ && first_.size() == dialect_.fields) {
    cells_.insert(cells_.begin(), first_.begin(), first_.end());
  }
  if (has_header_ && first_.size() != dialect_.fields) {
    dialect_.fields = first_.size();
    read(lines);
  }
  for (std::size_t i = 0; i < dialect_.fields; ++i) {
    names_.push_back(has_header_ ? std::string(first_[i]) : std::to_string(i + 1));
  }
}

void Sample::read(std::string_view lines) {
  first_.clear();
  cells_.clear();
  const std::string_view all = lines;
  RowSplitter splitter(dialect_.separator,
                       [&](std::string_view& line) { return next_line(lines, line); });
  const auto kept = [&](std::string_view field) {
    field = trimmed(field);
    const bool stands_there = field.data() >= all.data() && field.data() < all.data() + all.size();
    return stands_there || field.empty() ? field : unquoted_.emplace_back(field);
  };
  using Found = RowSplitter::Found;
  for (Found found{}; (found = splitter.next()) != Found::kEnd && found != Found::kOpenQuote;) {
    has_rows_ = !first_.empty();
    const bool fits = !has_rows_ || splitter.fields().size() == dialect_.fields;
    if (found != Found::kRow || !fits) continue;
    std::ranges::transform(splitter.fields(), std::back_inserter(has_rows_ ? cells_ : first_),
                           kept);
  }
}

bool Sample::first_is_header() const {
  const bool has_numbers =
      std::ranges::any_of(first_, [](auto cell) { return kind_of(cell) == Number::kRead; });
  const std::size_t columns = std::min(first_.size(), dialect_.fields);
  bool comes_again = false;
  for (std::size_t i = 0; i < columns && rows() > 0; ++i) {
    const bool is_text = kind_of(first_[i]) == Number::kNone;
    if (is_role(first_[i])) return true;
    if (is_text && is_number(i) && !has_decimal_comma(first_[i])) return true;
    for (std::size_t row = 0; is_text && row < rows(); ++row) {
      comes_again = comes_again || cell(row, i) == first_[i];
    }
  }
  // Where all is text, the names of columns are not among what stands below them.
  return !has_numbers && !comes_again;
}

std::optional<std::size_t> Sample::find(std::string_view name) const {
  const auto found = std::ranges::find(names_, name);
  if (found == names_.end()) return {};
  return static_cast<std::size_t>(found - names_.begin());
}

bool Sample::is_number(std::size_t column) const {
  std::size_t numbers = 0, texts = 0;
  for (std::size_t row = 0; row < rows(); ++row) {
    const Number kind = kind_of(cell(row, column));
    const bool is_text = kind == Number::kNone && !has_decimal_comma(cell(row, column));
    texts += is_text ? 1 : 0;
    numbers += is_text || kind == Number::kMissing ? 0 : 1;
  }
  return numbers >= texts;
}

bool Sample::is_whole(std::size_t column) const {
  for (std::size_t row = 0; row < rows(); ++row) {
    float value = 0;
    if (parse_number(cell(row, column), value) != Number::kRead) return false;
    if (value != std::floor(value)) return false;
  }
  return true;
}

std::size_t Sample::distinct(std::size_t column) const {
  std::unordered_set<std::string_view> values;
  for (std::size_t row = 0; row < rows(); ++row) values.insert(cell(row, column));
  return values.size();
}

std::size_t Sample::same_as_above(std::size_t column) const {
  std::size_t same = 0;
  for (std::size_t row = 1; row < rows(); ++row) {
    same += cell(row, column) == cell(row - 1, column) ? 1 : 0;
  }
  return same;
}

}  // namespace rwa::formats

#include "formats/table_columns.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <unordered_set>

#include <fmt/format.h>

#include "formats/parse.h"
#include "formats/text_symbols.h"
#include "formats/usual_names.h"
#include "io/quote.h"
#include "rwa/errors.h"

namespace rwa::formats {
namespace {
// The first fitting column, in the order of `names`.
template <typename Fits>
std::optional<std::size_t> find_any(const TableSample& sample,
                                    std::span<const std::string_view> names, Fits fits) {
  if (!sample.has_header()) return {};
  for (const std::string_view name : names) {
    for (std::size_t i = 0; i < sample.columns(); ++i) {
      if (same_letters(sample.names()[i], name) && fits(i)) return i;
    }
  }
  return {};
}

Number kind_of(std::string_view cell) {
  float value = 0;
  return parse_number(cell, value);
}

// Whether this is almost certainly the name of a column.
bool is_role(std::string_view cell) {
  return cell.size() > 1 &&
         (is_usual(cell, kIdNames) || is_usual(cell, kTimeNames) || is_usual(cell, kTargetNames));
}

// A number with a comma is meant as a number, and refused as one later.
bool has_comma(std::string_view cell) {
  const std::string text = with_decimal_point(cell);
  return !text.empty() && kind_of(text) == Number::kRead;
}

// A number after signs of currencies and before a short unit, with thousands separators.
bool begins_with_number(std::string_view cell) {
  constexpr std::size_t kLongestUnit = 4;
  constexpr std::string_view kBefore = "'+-$€£ ", kDigits = "0123456789",
                             kWithin = "0123456789.,' ";
  cell.remove_prefix(std::min(cell.find_first_not_of(kBefore), cell.size()));
  if (cell.find_first_of(kDigits) != 0) return false;
  cell.remove_prefix(std::min(cell.find_first_not_of(kWithin), cell.size()));
  return cell.size() <= kLongestUnit;
}

// pandas calls columns without a name 0, 1, 2.
bool are_counted(std::span<const std::string_view> names) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] != std::to_string(i)) return false;
  }
  return true;
}
}  // namespace

TableSample::TableSample(std::string_view lines, std::optional<char> decimal)
    : dialect_(guess_dialect(lines)) {
  dialect_.decimal = decimal.value_or(dialect_.decimal);
  read(lines);
  has_header_ = !first_.empty() && first_is_header();
  if (!has_header_ && first_.size() == dialect_.fields) {
    cells_.insert(cells_.begin(), first_.begin(), first_.end());
    lines_.insert(lines_.begin(), first_line_);
  }
  if (has_header_ && first_.size() != dialect_.fields) {
    dialect_.fields = first_.size();
    read(lines);
  }
  names_.reserve(dialect_.fields);
  for (std::size_t i = 0; i < dialect_.fields; ++i) {
    const std::string number = std::to_string(i + 1);
    const bool is_nameless = has_header_ && first_[i].empty();
    names_.push_back(!has_header_  ? number
                     : is_nameless ? "column " + number
                                   : std::string(first_[i]));
  }
}

void TableSample::read(std::string_view lines) {
  first_.clear();
  cells_.clear();
  lines_.clear();
  const std::string_view all = lines;
  std::int64_t line_number = 0;
  RowSplitter splitter(dialect_.separator, [&](std::string_view& line) {
    ++line_number;
    return next_line(lines, line);
  });
  const auto kept = [&](std::string_view field) -> std::string_view {
    field = trimmed(field);
    if (dialect_.decimal == ',' && has_comma(field)) {
      return unquoted_.emplace_back(with_decimal_point(field));
    }
    const bool stands_there = field.data() >= all.data() && field.data() < all.data() + all.size();
    return stands_there || field.empty() ? field : unquoted_.emplace_back(field);
  };
  using Found = RowSplitter::Found;
  for (Found found{}; (found = splitter.next()) != Found::kEnd && found != Found::kOpenQuote;) {
    has_rows_ = !first_.empty();
    const bool fits = !has_rows_ || splitter.fields().size() == dialect_.fields;
    if (found != Found::kRow || !fits) continue;
    const auto begin = line_number - std::ranges::count(splitter.text(), '\n');
    std::ranges::transform(splitter.fields(), std::back_inserter(has_rows_ ? cells_ : first_),
                           kept);
    if (has_rows_) {
      lines_.push_back(begin);
    } else {
      first_line_ = begin;
    }
  }
}

bool TableSample::first_is_header() const {
  if (has_index()) return true;
  const bool has_numbers =
      std::ranges::any_of(first_, [](auto cell) { return kind_of(cell) == Number::kRead; });
  const std::size_t columns = std::min(first_.size(), dialect_.fields);
  bool comes_again = false;
  for (std::size_t i = 0; i < columns && rows() > 0; ++i) {
    const bool is_text = kind_of(first_[i]) == Number::kNone;
    if (is_role(first_[i])) return true;
    if (is_text && is_number(i) && !has_comma(first_[i])) return true;
    for (std::size_t row = 0; is_text && row < rows(); ++row) {
      comes_again = comes_again || cell(row, i) == first_[i];
    }
  }
  // If all cells are text, a header is a row whose words do not occur below it.
  return !has_numbers && !comes_again;
}

// Whether the first row names all columns but the first, whose rows have names or numbers.
bool TableSample::has_index() const {
  if (first_.size() < 2 || first_.size() != dialect_.fields || rows() == 0) return false;
  if (!first_[0].empty()) return false;
  for (std::size_t row = 0; row < rows(); ++row) {
    if (cell(row, 0).empty()) return false;
  }
  const auto names = std::span(first_).subspan(1);
  return are_counted(names) || std::ranges::none_of(names, [](std::string_view name) {
           return kind_of(name) == Number::kRead;
         });
}

std::optional<std::size_t> TableSample::find(std::string_view name) const {
  const auto found = std::ranges::find(names_, name);
  if (found == names_.end()) return {};
  return static_cast<std::size_t>(found - names_.begin());
}

bool TableSample::is_number(std::size_t column) const {
  std::size_t numbers = 0, texts = 0;
  for (std::size_t row = 0; row < rows(); ++row) {
    const Number kind = kind_of(cell(row, column));
    const bool is_text = kind == Number::kNone && !has_comma(cell(row, column));
    texts += is_text ? 1 : 0;
    numbers += is_text || kind == Number::kMissing ? 0 : 1;
  }
  return numbers >= texts;
}

bool TableSample::is_whole(std::size_t column) const {
  for (std::size_t row = 0; row < rows(); ++row) {
    float value = 0;
    if (parse_number(cell(row, column), value) != Number::kRead) return false;
    if (value != std::floor(value)) return false;
  }
  return true;
}

bool TableSample::is_empty(std::size_t column) const {
  for (std::size_t row = 0; row < rows(); ++row) {
    if (kind_of(cell(row, column)) != Number::kMissing) return false;
  }
  return true;
}

bool TableSample::is_like_numbers(std::size_t column) const {
  if (is_number(column) || repeats(column)) return false;
  for (std::size_t row = 0; row < rows(); ++row) {
    if (!cell(row, column).empty() && !begins_with_number(cell(row, column))) return false;
  }
  return true;
}

bool TableSample::is_of_letters(std::size_t column) const {
  bool has_letters = false;
  for (std::size_t row = 0; row < rows(); ++row) {
    const std::string_view text = cell(row, column);
    if (text.empty()) continue;
    if (character_at(text, text.data()).size() != text.size()) return false;
    has_letters = true;
  }
  return has_letters;
}

std::size_t TableSample::distinct(std::size_t column) const {
  std::unordered_set<std::string_view> values;
  for (std::size_t row = 0; row < rows(); ++row) values.insert(cell(row, column));
  return values.size();
}

std::size_t TableSample::same_as_above(std::size_t column) const {
  std::size_t same = 0;
  for (std::size_t row = 1; row < rows(); ++row) {
    same += cell(row, column) == cell(row - 1, column) ? 1 : 0;
  }
  return same;
}

std::optional<std::size_t> find_id(const TableSample& sample) {
  const auto can_be = [&](std::size_t i) { return sample.is_whole(i) || !sample.is_number(i); };
  const auto comes_again = [&](std::size_t i) {
    return can_be(i) && 3 * sample.same_as_above(i) >= sample.rows();
  };
  if (const auto repeated = find_any(sample, kIdNames, comes_again)) return repeated;
  if (const auto repeated = find_any(sample, kIdOrTextNames, comes_again)) return repeated;
  return find_any(sample, kIdNames, can_be);
}

std::optional<std::size_t> find_time(const TableSample& sample) {
  return find_any(sample, kTimeNames, [](std::size_t) { return true; });
}

std::optional<std::size_t> find_target(const TableSample& sample) {
  const auto any = [](std::size_t) { return true; };
  if (const auto target = find_any(sample, kTargetNames, any)) return target;
  const auto is_there = [&](std::string_view name) {
    return std::ranges::any_of(sample.names(),
                               [&](auto& known) { return same_letters(known, name); });
  };
  if (is_there("x") && is_there("z")) return {};
  return find_any(sample, kTargetOrDirectionNames, any);
}

std::size_t column_named(const std::string& name, const TableSample& sample,
                         std::string_view file) {
  return find_named(name, sample.names(), "column", file);
}

}  // namespace rwa::formats

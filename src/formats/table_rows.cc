#include "formats/table_rows.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "base/counted.h"
#include "formats/parse.h"
#include "formats/text_symbols.h"
#include "io/quote.h"

namespace rwa::formats {
namespace {
constexpr char kQuote = '"';

constexpr int kRows = 100;  // that the dialect is guessed from

struct Trial {
  Dialect dialect;
  double even = 0;     // share of rows with the most common number of fields
  double numbers = 0;  // share of numeric fields, without the first row
};

// Counts the numbers of the first rows by their decimal mark.
class DecimalGuess {
 public:
  void see(std::string_view field) {
    float value = 0;
    if (parse_number(field, value) == Number::kRead) {
      points_ += field.find('.') != field.npos ? 1 : 0;
      return;
    }
    field = trimmed(field);
    const std::string changed = with_decimal_point(field);
    if (changed.empty() || parse_number(changed, value) != Number::kRead) return;
    ++commas_;
    // Groups of thousands have three digits.
    const std::size_t digits = field.size() - field.find(',') - 1;
    is_certain_ = is_certain_ || digits != 3;
  }
  [[nodiscard]] char mark(char separator) const {
    const bool is_comma = commas_ > points_ && (is_certain_ || separator != ',');
    return is_comma ? ',' : '.';
  }

 private:
  int points_ = 0, commas_ = 0;
  bool is_certain_ = false;
};

// Comments, and Excel's line that names the delimiter.
bool is_before_table(std::string_view line) {
  constexpr std::string_view kDelimiter = "sep=";
  return line.starts_with('#') ||
         (line.starts_with(kDelimiter) && line.size() == kDelimiter.size() + 1);
}

double share(int part, int whole) { return whole == 0 ? 0 : static_cast<double>(part) / whole; }

Trial try_separator(std::string_view lines, char separator) {
  RowSplitter splitter(separator, [&](std::string_view& line) { return next_line(lines, line); });
  std::map<std::size_t, int> rows_of;
  int rows = 0, fields = 0, numbers = 0;
  DecimalGuess decimal;
  RowSplitter::Found found = RowSplitter::Found::kRow;
  while (rows < kRows && (found = splitter.next()) != RowSplitter::Found::kEnd) {
    const auto row = splitter.fields();
    // A row with a misplaced quote matches no other.
    if (found == RowSplitter::Found::kRow) ++rows_of[row.size()];
    if (rows++ == 0) continue;
    fields += static_cast<int>(row.size());
    numbers += static_cast<int>(std::ranges::count_if(row, [value = 0.0F](auto field) mutable {
      return parse_number(field, value) == Number::kRead;
    }));
    for (const std::string_view field : row) decimal.see(field);
  }
  if (rows_of.empty()) return {{separator, 1}};
  const auto most = std::ranges::max_element(rows_of, {}, [](const auto& of) { return of.second; });
  return {{separator, most->first, decimal.mark(separator)},
          share(most->second, rows),
          share(numbers, fields)};
}
}  // namespace

Dialect guess_dialect(std::string_view lines) {
  Trial best;
  for (const char separator : {'\t', ';', ','}) {
    const Trial trial = try_separator(lines, separator);
    if (trial.dialect.fields > 1 && trial.even > best.even) best = trial;
  }
  if (best.even > 0.5) return best.dialect;
  // Blanks occur in texts too.
  const Trial blanks = try_separator(lines, kByBlanks);
  const bool divides = blanks.dialect.fields > 1;
  if (divides && (blanks.even == 1 || (blanks.even > 0.5 && blanks.numbers > 0.5))) {
    return blanks.dialect;
  }
  return best.even > 0 ? best.dialect : Dialect();
}

RowSplitter::Found RowSplitter::next() {
  if (!next_row_line()) return Found::kEnd;
  if (text_.size() > kLongestRow.bytes) return Found::kTooLong;
  quoted_ = text_.find(kQuote) != text_.npos;
  if (quoted_) return split_quoted();
  split_plain();
  return Found::kRow;
}

bool RowSplitter::next_row_line() {
  after_empty_line_ = false;
  while (next_line_(text_)) {
    const std::size_t first = text_.find_first_not_of(separator_ == '\t' ? " " : kBlanks);
    if (first == text_.npos) {
      after_empty_line_ = started_;
    } else if (started_ || !is_before_table(text_)) {
      started_ = true;
      return true;
    }
  }
  return false;
}

void RowSplitter::split_plain() {
  fields_.clear();
  count_ = 0;
  std::string_view rest = text_;
  if (separator_ == kByBlanks) {
    while (!rest.empty()) {
      if (const std::string_view word = next_word(rest); !word.empty()) add_field(word);
    }
    return;
  }
  for (std::size_t end = 0; (end = rest.find(separator_)) != rest.npos;) {
    add_field(rest.substr(0, end));
    rest.remove_prefix(end + 1);
  }
  add_field(rest);
}

void RowSplitter::add_field(std::string_view field) {
  if (count_++ <= most_) fields_.push_back(field);
}

void RowSplitter::add_piece(Piece piece) {
  if (count_++ <= most_) pieces_.push_back(piece);
}

// Goes from field to field; a row may span several lines.
RowSplitter::Found RowSplitter::split_quoted() {
  lines_ = text_;
  clean_.clear();
  pieces_.clear();
  fields_.clear();
  count_ = 0;
  std::size_t at = 0;
  Found found = Found::kRow;
  while (found == Found::kRow) {
    const std::size_t begin = skip_blanks(at);
    if (separator_ == kByBlanks && begin == lines_.size()) break;
    if (begin < lines_.size() && lines_[begin] == kQuote) {
      at = begin;
      found = take_quoted(at);
    } else {
      if (separator_ == kByBlanks) at = begin;
      take_plain(at);
    }
    if (at == lines_.size()) break;
    ++at;  // the delimiter
  }
  text_ = lines_;
  for (const Piece& piece : pieces_) {
    const bool is_clean = piece.clean != text_.npos;
    fields_.push_back(is_clean ? std::string_view(clean_).substr(piece.clean, piece.size)
                               : text_.substr(piece.begin, piece.size));
  }
  return found;
}

std::size_t RowSplitter::skip_blanks(std::size_t at) const {
  const auto is_blank = [&](char c) { return c == ' ' || (c == '\t' && separator_ != '\t'); };
  while (at < lines_.size() && is_blank(lines_[at])) ++at;
  return at;
}

// Takes a plain field, from its first character to the delimiter or the end.
void RowSplitter::take_plain(std::size_t& at) {
  const std::size_t begin = at;
  at = separator_ == kByBlanks ? lines_.find_first_of(kBlanks, begin)
                               : lines_.find(separator_, begin);
  at = std::min(at, lines_.size());
  add_piece({begin, at - begin});
}

// Takes a quoted field, from its opening quote.
RowSplitter::Found RowSplitter::take_quoted(std::size_t& at) {
  wrong_ = at;
  const std::size_t begin = ++at;
  bool doubled = false;
  if (const Found found = find_closing_quote(at, doubled); found != Found::kRow) return found;
  add_piece(doubled ? without_doubled_quotes(begin, at) : Piece{begin, at - begin});
  const std::size_t end = ++at;
  at = skip_blanks(end);
  wrong_ = at;
  if (at == lines_.size() || lines_[at] == separator_) return Found::kRow;
  if (separator_ != kByBlanks || at == end) return Found::kTextAfterQuote;
  --at;  // to one of the blanks
  return Found::kRow;
}

RowSplitter::Found RowSplitter::find_closing_quote(std::size_t& at, bool& doubled) {
  while (true) {
    std::size_t quote = lines_.find(kQuote, at);
    for (std::string_view line; quote == lines_.npos;) {
      const std::size_t searched = lines_.size();
      if (!next_line_(line)) return Found::kOpenQuote;
      lines_.append(1, '\n').append(line);
      if (lines_.size() > kLongestRow.bytes) return Found::kTooLong;
      quote = lines_.find(kQuote, searched);
    }
    at = quote;
    if (at + 1 == lines_.size() || lines_[at + 1] != kQuote) return Found::kRow;
    doubled = true;
    at += 2;
  }
}

RowSplitter::Piece RowSplitter::without_doubled_quotes(std::size_t begin, std::size_t end) {
  if (count_ > most_) return {begin, end - begin};  // not kept
  const std::size_t clean = clean_.size();
  for (std::size_t i = begin; i < end; ++i) {
    clean_ += lines_[i];
    if (lines_[i] == kQuote) ++i;
  }
  return {begin, clean_.size() - clean, clean};
}

const char* RowSplitter::begin_of(std::size_t field) const {
  return quoted_ ? text_.data() + pieces_[field].begin : fields_[field].data();
}

Rows::Rows(Source& source, const Dialect& dialect)
    : source_(source),
      splitter_(
          dialect.separator,
          [&source](std::string_view& line) { return source.line(line, kLongestRow); },
          std::min(dialect.fields, kMostFields)),
      dialect_(dialect) {}

std::int64_t Rows::line() const {
  return source_.line_number() - std::ranges::count(splitter_.text(), '\n');
}

bool Rows::next() {
  if (!std::exchange(is_held_, false)) {
    is_stuck_ = true;
    found_ = splitter_.next();
    is_stuck_ = false;
    if (found_ == RowSplitter::Found::kEnd) return false;
    if (splitter_.after_empty_line()) {
      is_held_ = true;
      source_.refuse(line() - 1, "an empty line", counted(dialect_.fields, "field"));
    }
  }
  if (found_ == RowSplitter::Found::kOpenQuote) {
    source_.refuse(splitter_.text(), splitter_.wrong(), "an unclosed quote",
                   "a closing quote: nothing after it is read");
  }
  if (found_ == RowSplitter::Found::kTooLong) {
    source_.refuse(splitter_.text(), splitter_.wrong(),
                   fmt::format("a row of more than {} MiB", kLongestRow.bytes >> 20),
                   fmt::format("a closing quote before that: {}", kLongestRow.advice));
  }
  if (found_ == RowSplitter::Found::kTextAfterQuote) {
    const std::string_view text = splitter_.text();
    source_.refuse(
        text, splitter_.wrong(),
        io::quote(text.substr(splitter_.wrong() - text.data())) + " after a closing quote",
        "a delimiter");
  }
  check_count();
  return true;
}

void Rows::check_count() const {
  const std::size_t count = splitter_.count();
  const bool too_many = count > kMostFields;
  if (count == dialect_.fields && !too_many) return;
  source_.refuse(line(), counted(count, "field"),
                 too_many
                     ? fmt::format("at most {}: {}", in_thousands(kMostFields), kLongestRow.advice)
                     : std::to_string(dialect_.fields));
}

std::string_view Rows::text(std::size_t column) const {
  const std::string_view text = (*this)[column];
  if (not_utf8(text) == nullptr) return text;
  // The field with doubled quotes resolved is not in the row.
  const std::string_view row = splitter_.text();
  source_.require_utf8(row, row.substr(splitter_.begin_of(column) - row.data()));
  return text;
}

Place Rows::place_of(std::size_t column) const {
  return source_.place_of(splitter_.text(), splitter_.begin_of(column));
}

std::string_view Rows::word(std::size_t column) const { return trimmed(text(column)); }

void Rows::refuse(std::size_t column, std::string_view found, std::string_view expected) const {
  source_.refuse(splitter_.text(), splitter_.begin_of(column), found, expected);
}

}  // namespace rwa::formats

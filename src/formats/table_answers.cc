#include "formats/table_answers.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "formats/parse.h"
#include "io/quote.h"

namespace rwa::formats {

TableAnswers::TableAnswers(const Rows& rows, const Roles& roles,
                           const std::vector<std::string>& names, Vocabulary& vocabulary,
                           bool optional)
    : rows_(rows),
      target_(roles.target),
      columns_(roles.targets),
      numbered_(roles.numbered_labels),
      optional_(optional),
      labels_(vocabulary.labels),
      first_texts_(columns_.size()) {
  if (target_ != Target::kLabels || columns_.size() == 1) return;
  for (const std::size_t column : columns_) flags_.push_back(labels_.number(names[column]));
}

void TableAnswers::begin(Sequence& sequence) {
  has_any_ = target_ != Target::kNone && !(optional_ && is_missing(columns_[0]));
  if (!has_any_) return;
  read_row();
  append_to(sequence);
  if (is_per_step(target_)) return;
  first_ = read_;
  first_line_ = rows_.line();
  for (std::size_t i = 0; i < columns_.size(); ++i) first_texts_[i] = rows_[columns_[i]];
}

void TableAnswers::go_on(Sequence& sequence) {
  if (!has_any_) return;
  if (is_per_step(target_)) {
    read_row();
    append_to(sequence);
    return;
  }
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (rows_[columns_[i]] == first_texts_[i]) continue;
    read_row();
    if (read_ == first_) return;
    rows_.refuse(columns_[i], io::quote(trimmed(rows_[columns_[i]])),
                 fmt::format("{} as on line {}, where the sequence begins{}",
                             io::quote(trimmed(first_texts_[i])), first_line_,
                             optional_ ? ""
                                       : "; for a target per row, use --task class-per-step or "
                                         "numbers-per-step"));
  }
}

void TableAnswers::append_to(Sequence& sequence) const {
  sequence.labels.insert(sequence.labels.end(), read_.labels.begin(), read_.labels.end());
  sequence.values.insert(sequence.values.end(), read_.values.begin(), read_.values.end());
}

void TableAnswers::read_row() {
  read_.labels.clear();
  read_.values.clear();
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (!flags_.empty()) {
      read_flag(columns_[i], flags_[i]);
    } else if (target_ == Target::kLabels) {
      read_labels(columns_[i]);
    } else if (target_ == Target::kClass || target_ == Target::kClassPerStep) {
      read_label(columns_[i]);
    } else {
      read_number(columns_[i]);
    }
  }
}

void TableAnswers::refuse(std::size_t column, std::string_view expected) const {
  const std::string_view text = trimmed(rows_[column]);
  rows_.refuse(column, text.empty() ? "an empty field" : io::quote(text), expected);
}

void TableAnswers::read_number(std::size_t column) {
  float value = 0;
  const Number number = rows_.number(column, value);
  if (number != Number::kRead) refuse(column, expected_of(number));
  read_.values.push_back(value);
}

// The name of a class may look like a missing number: Na is sodium.
bool TableAnswers::is_missing(std::size_t column) const {
  const std::string_view text = trimmed(rows_[column]);
  float value = 0;
  return text.empty() || text == "?" ||
         (numbered_ && parse_number(text, value) == Number::kMissing);
}

void TableAnswers::read_label(std::size_t column) {
  if (is_missing(column)) refuse(column, "a label");
  const std::string_view text = rows_.word(column);
  constexpr float kMostExact = 1 << 24;
  float value = 0;
  const bool rewrite = numbered_ && text.find_first_of(".eE") != text.npos &&
                       parse_number(text, value) == Number::kRead && value == std::floor(value) &&
                       std::abs(value) < kMostExact;
  read_.labels.push_back(rewrite ? labels_.number(std::to_string(static_cast<int>(value)))
                                 : labels_.number(text));
}

void TableAnswers::read_labels(std::size_t column) {
  std::string_view rest = rows_.text(column);
  while (!rest.empty()) {
    const std::string_view part = rest.substr(0, rest.find('|'));
    rest.remove_prefix(std::min(part.size() + 1, rest.size()));
    if (const std::string_view word = trimmed(part); !word.empty()) {
      read_.labels.push_back(labels_.number(word));
    }
  }
  std::ranges::sort(read_.labels);
  read_.labels.erase(std::unique(read_.labels.begin(), read_.labels.end()), read_.labels.end());
}

void TableAnswers::read_flag(std::size_t column, std::int32_t label) {
  float value = 0;
  const bool read = rows_.number(column, value) == Number::kRead;
  if (!read || (value != 0 && value != 1)) refuse(column, "0 or 1");
  if (value == 1) read_.labels.push_back(label);
}

}  // namespace rwa::formats

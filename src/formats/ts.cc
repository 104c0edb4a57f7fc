// src/formats/ts.cc: the .ts format of UEA and aeon: one sequence per line, its dimensions
// separated by ":", then the class or the target number; the header says which. What the header
// says about missing values and lengths is not checked: some archives get it wrong.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/counted.h"
#include "base/nearest.h"
#include "formats/formats.h"
#include "formats/match.h"
#include "formats/parse.h"
#include "io/quote.h"

namespace rwa::formats {
namespace {

struct Header {
  bool time_stamps = false;
  bool univariate = false;
  std::size_t dimensions = 0;  // 0: not given
  std::set<std::string, std::less<>> classes = {};
  Target target = Target::kNone;
};

class TsReader : public SourceReader {
 public:
  TsReader(std::unique_ptr<Source> source, const Options& options, SharedVocabulary vocabulary);

  bool next(Sequence& sequence) override;

 private:
  [[noreturn]] void refuse(const char* at, std::string_view found,
                           std::string_view expected) const {
    source_->refuse(raw_, at, found, expected);
  }

  bool next_line();  // skips empty lines and comments
  void read_header();
  void read_key(std::string_view key, std::string_view rest);
  void read_classes(std::string_view rest);
  [[nodiscard]] bool yes(std::string_view text) const;
  [[nodiscard]] std::size_t count(std::string_view text) const;

  void split_case();
  void read_dimension(std::string_view text);
  bool next_value(std::string_view& text, std::string_view& value) const;
  void read_answer(std::string_view text, Sequence& sequence) const;

  Header header_;
  bool optional_answers_;  // targets may be missing: a model reads the data
  Target target_ = Target::kNone;
  std::string_view raw_, line_;  // the current line, and the same trimmed
  bool ahead_ = true;            // line_ is a sequence not returned yet
  int cases_ = 0;
  std::vector<std::string_view> fields_;
  std::vector<float> columns_;  // [D,T]
};

TsReader::TsReader(std::unique_ptr<Source> source, const Options& options,
                   SharedVocabulary vocabulary)
    : SourceReader(std::move(source), std::move(vocabulary)),
      optional_answers_(options.as.has_value()) {
  read_header();
  if (!next_line()) {
    source_->refuse(source_->line_number(), "the end of the file", "a sequence after @data");
  }
  split_case();
  const std::size_t dimensions = fields_.size() - (header_.target == Target::kNone ? 0 : 1);
  if (header_.dimensions != 0 && header_.dimensions != dimensions) {
    refuse(line_.data(), "a sequence of " + counted(dimensions, "dimension"),
           fmt::format("{}, as the header says", header_.dimensions));
  }
  header_.dimensions = dimensions;
  schema_.format = Format::kTs;
  const bool one = header_.univariate && dimensions == 1;
  for (std::size_t i = 0; i < dimensions; ++i) {
    schema_.features.push_back(one ? "x" : fmt::format("dim_{}", i));
  }
  target_ = match_target(header_.target, options, file());
  schema_.target = target_;
  if (target_ != Target::kNone) {
    schema_.targets = {target_ == Target::kClass ? "class" : "target"};
  }
  match_model(schema_, options, file());
}

bool TsReader::next_line() {
  while (source_->line(raw_)) {
    line_ = trimmed(raw_);
    if (!line_.empty() && line_.front() != '#') return true;
  }
  return false;
}

void TsReader::read_header() {
  while (next_line()) {
    if (line_.front() != '@') {
      refuse(line_.data(), io::quote(line_), "a header line that starts with @, up to @data");
    }
    const std::size_t end = std::min(line_.find_first_of(" \t"), line_.size());
    const std::string_view key = line_.substr(1, end - 1);
    if (same_letters(key, "data")) return;
    read_key(key, trimmed(line_.substr(end)));
  }
  source_->refuse(source_->line_number(), "the end of the file", "@data, then sequences");
}

void TsReader::read_key(std::string_view key, std::string_view rest) {
  if (same_letters(key, "timeStamps")) {
    header_.time_stamps = yes(rest);
  } else if (same_letters(key, "univariate")) {
    header_.univariate = yes(rest);
    if (header_.univariate) header_.dimensions = 1;
  } else if (same_letters(key, "dimensions") || same_letters(key, "dimension")) {
    header_.dimensions = count(rest);
  } else if (same_letters(key, "classLabel")) {
    read_classes(rest);
  } else if (same_letters(key, "targetLabel")) {
    if (yes(rest)) header_.target = Target::kNumbers;
  } else if (!same_letters(key, "problemName") && !same_letters(key, "missing") &&
             !same_letters(key, "equalLength") && !same_letters(key, "seriesLength")) {
    static const std::vector<std::string> kKeys = {
        "@problemName", "@timeStamps",   "@missing",    "@univariate",  "@dimensions",
        "@equalLength", "@seriesLength", "@classLabel", "@targetLabel", "@data"};
    const std::string found = fmt::format("@{}", key);
    const std::vector<std::string> near = nearest(found, kKeys);
    refuse(line_.data(), io::quote(found),
           near.empty() ? fmt::format("one of {}", fmt::join(kKeys, ", "))
                        : fmt::to_string(fmt::join(near, " or ")));
  }
}

void TsReader::read_classes(std::string_view rest) {
  const std::string_view first = next_word(rest);
  if (!yes(first)) return;
  header_.target = Target::kClass;
  while (!(rest = trimmed(rest)).empty()) header_.classes.emplace(next_word(rest));
  if (header_.classes.empty()) {
    refuse(line_.data() + line_.size(), "the end of the line", "class names");
  }
}

bool TsReader::yes(std::string_view text) const {
  if (same_letters(text, "true")) return true;
  if (!same_letters(text, "false")) refuse(text.data(), io::quote(text), "true or false");
  return false;
}

std::size_t TsReader::count(std::string_view text) const {
  const std::optional<int> number = parse_count(text);
  if (!number) refuse(text.data(), io::quote(text), "a whole number of at least 1");
  return static_cast<std::size_t>(*number);
}

// Splits a line into dimensions and the target. Time stamps may contain colons.
void TsReader::split_case() {
  fields_.clear();
  std::size_t begin = 0;
  bool inside = false;  // parentheses
  for (std::size_t i = 0; i < line_.size(); ++i) {
    if (header_.time_stamps && (line_[i] == '(' || line_[i] == ')')) inside = line_[i] == '(';
    if (line_[i] != ':' || inside) continue;
    fields_.push_back(line_.substr(begin, i - begin));
    begin = i + 1;
  }
  fields_.push_back(line_.substr(begin));
}

bool TsReader::next(Sequence& sequence) {
  if (!ahead_ && !next_line()) return false;
  ahead_ = false;
  split_case();
  const std::size_t dimensions = header_.dimensions;
  const std::size_t expected = dimensions + (header_.target == Target::kNone ? 0 : 1);
  if (fields_.size() != expected) {
    refuse(fields_[std::min(fields_.size() - 1, expected)].data(),
           counted(fields_.size(), "part") + " separated by \":\"",
           fmt::format("{}: {}{}", expected, counted(dimensions, "dimension"),
                       expected == dimensions ? "" : " and the target"));
  }
  sequence.clear();
  sequence.id = fmt::to_string(++cases_);
  sequence.line = source_->line_number();
  columns_.clear();
  std::size_t steps = 0;
  for (std::size_t d = 0; d < dimensions; ++d) {
    read_dimension(fields_[d]);
    if (d == 0) steps = columns_.size();
    if (columns_.size() == (d + 1) * steps) continue;
    refuse(fields_[d].data(), "a dimension of " + counted(columns_.size() - d * steps, "value"),
           fmt::format("{}, as in the first dimension", steps));
  }
  sequence.steps = static_cast<int>(steps);
  sequence.x.resize(columns_.size());
  for (std::size_t t = 0; t < steps; ++t) {
    for (std::size_t d = 0; d < dimensions; ++d) {
      sequence.x[t * dimensions + d] = columns_[d * steps + t];
    }
  }
  if (target_ != Target::kNone) read_answer(trimmed(fields_.back()), sequence);
  return true;
}

void TsReader::read_dimension(std::string_view text) {
  if (trimmed(text).empty()) return;
  std::string_view value;
  for (bool more = true; more;) {
    more = next_value(text, value);
    float number = 0;
    const Number read = parse_number(value, number);
    if (read != Number::kRead && read != Number::kMissing) {
      refuse(value.data(), io::quote(value), expected_of(read));
    }
    columns_.push_back(number);
  }
}

// Takes the next value off a dimension; from (time,value) the value. Returns whether more follow.
bool TsReader::next_value(std::string_view& text, std::string_view& value) const {
  if (header_.time_stamps) {
    text = trimmed(text);
    const std::size_t close = text.find(')');
    const std::size_t comma = text.substr(0, close).rfind(',');
    if (!text.starts_with('(') || close == text.npos || comma == text.npos) {
      refuse(text.data(), io::quote(text), "(time,value), since @timeStamps is true");
    }
    value = text.substr(comma + 1, close - comma - 1);
    text = trimmed(text.substr(close + 1));
    if (!text.empty() && text.front() != ',') refuse(text.data(), io::quote(text), "a comma");
  } else {
    value = text.substr(0, text.find(','));
    text.remove_prefix(value.size());
    value = trimmed(value);
  }
  if (text.empty()) return false;
  text.remove_prefix(1);
  return true;
}

void TsReader::read_answer(std::string_view text, Sequence& sequence) const {
  float number = 0;
  const Number read = parse_number(text, number);
  if (optional_answers_ && read == Number::kMissing) return;
  if (target_ == Target::kNumbers) {
    if (read != Number::kRead) refuse(text.data(), io::quote(text), expected_of(read));
    sequence.values.push_back(number);
  } else if (header_.classes.contains(text)) {
    sequence.labels.push_back(vocabulary_->labels.number(text));
  } else {
    refuse(text.data(), io::quote(text),
           fmt::format("one of the classes in the header: {}",
                       io::escape(fmt::to_string(fmt::join(header_.classes, " ")))));
  }
}
}  // namespace

std::unique_ptr<Reader> open_ts(std::unique_ptr<Source> source, const Options& options,
                                SharedVocabulary vocabulary) {
  return std::make_unique<TsReader>(std::move(source), options, std::move(vocabulary));
}

}  // namespace rwa::formats

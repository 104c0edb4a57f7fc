// src/formats/ts.cc: the .ts format of UEA and aeon: one sequence per line, its dimensions
// separated by ":", then the class or the target number; the header says which. Data that
// contradicts the header is refused: one of them is wrong.
#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/counted.h"
#include "formats/dimensions.h"
#include "formats/formats.h"
#include "formats/headed_lines.h"
#include "formats/match.h"
#include "formats/parse.h"
#include "formats/ts_header.h"
#include "io/quote.h"

namespace rwa::formats {
namespace {

class TsReader : public SourceReader {
 public:
  TsReader(std::unique_ptr<Source> source, const Options& options, SharedVocabulary vocabulary);

  bool next(Sequence& sequence) override;
  bool skip() override { return lines_.is_read(); }

 private:
  void describe(const Options& options);
  [[nodiscard]] std::size_t known_dimensions() const;  // by the header; 0: unknown
  [[nodiscard]] std::size_t count_dimensions();        // of the first sequence

  void split_case(std::size_t most);
  void check_parts() const;
  void read_dimension(std::size_t dimension);
  void check_number(Number read, std::string_view value, std::size_t dimension) const;
  bool next_value(std::string_view& text, std::string_view& value) const;
  void check_length(std::size_t steps);
  [[nodiscard]] std::string said_length() const;  // the "expected" part of a message
  // What to add to a message about a dimension that may be a class.
  [[nodiscard]] std::string if_class(std::size_t dimension) const;
  void read_answer(std::string_view text, Sequence& sequence) const;

  HeadedLines lines_;
  TsHeader header_;
  bool optional_answers_;  // targets may be missing: a model reads the data
  Target target_ = Target::kNone;
  std::size_t dimensions_ = 0;
  bool ahead_ = true;  // the current line is a sequence not returned yet
  int cases_ = 0;
  std::optional<std::size_t> first_steps_;  // of the first sequence
  std::size_t parts_ = 0;                   // of the line
  std::vector<std::string_view> fields_;    // the first parts
  Dimensions numbers_;
};

TsReader::TsReader(std::unique_ptr<Source> source, const Options& options,
                   SharedVocabulary vocabulary)
    : SourceReader(std::move(source), std::move(vocabulary)),
      lines_(*source_, '#'),
      header_(read_ts_header(lines_)),
      optional_answers_(options.as.has_value()) {
  lines_.begin_data();
  dimensions_ = known_dimensions();
  if (dimensions_ == 0) {
    dimensions_ = count_dimensions();
  } else {
    // A header is not trusted before a line has that many dimensions.
    split_case(dimensions_ + 1);
    check_parts();
  }
  target_ = match_target(header_.target(), options, file());
  describe(options);
  match_model(schema_, options, file());
}

void TsReader::describe(const Options& options) {
  schema_.format = Format::kTs;
  schema_.target = target_;
  for (std::size_t i = 0; i < dimensions_; ++i) {
    schema_.features.push_back(header_.univariate.value ? "x" : fmt::format("dim_{}", i));
    findings_.columns.push_back({schema_.features.back(), "feature", "a dimension"});
  }
  if (header_.target() != Target::kNone) {
    const std::string name = header_.target() == Target::kClass ? "class" : "target";
    const bool used = target_ != Target::kNone;
    findings_.columns.push_back({name, used ? "target" : "left out",
                                 used ? header_.about_target() : "the task needs no target"});
    if (used) schema_.targets = {name};
  }
  const std::string about = header_.about_target();
  findings_.task = task_reason(options, about.empty() ? "no @classLabel in the header" : about);
}

std::size_t TsReader::known_dimensions() const {
  return header_.univariate.value ? 1 : header_.dimensions.value;
}

std::size_t TsReader::count_dimensions() {
  const std::size_t targets = header_.target() == Target::kNone ? 0 : 1;
  split_case(0);
  if (parts_ > kMostFeatures + targets) {
    lines_.refuse(lines_.text().data(), "a sequence of " + counted(parts_ - targets, "dimension"),
                  fmt::format("at most {}", in_thousands(kMostFeatures)));
  }
  if (parts_ == targets) {
    lines_.refuse(lines_.text().data(), "no \":\"",
                  fmt::format("a dimension, \":\" and the target ({})", header_.about_target()));
  }
  if (parts_ - targets == 1 && header_.univariate.line > 0) {
    lines_.refuse(lines_.text().data(), "a sequence of 1 dimension",
                  "several, " + as_line_says(header_.univariate.line, "@univariate false"));
  }
  return parts_ - targets;
}

// Counts the dimensions and the target of a line, and keeps the first ones. Time stamps may contain
// colons.
void TsReader::split_case(std::size_t most) {
  const std::string_view line = lines_.text();
  fields_.clear();
  parts_ = 0;
  std::size_t begin = 0;
  bool inside = false;  // parentheses
  for (std::size_t i = 0; i <= line.size(); ++i) {
    const char c = i < line.size() ? line[i] : ':';
    if (header_.time_stamps.value && (c == '(' || c == ')')) inside = c == '(';
    if (i < line.size() && (c != ':' || inside)) continue;
    if (parts_++ < most) fields_.push_back(line.substr(begin, i - begin));
    begin = i + 1;
  }
}

void TsReader::check_parts() const {
  const std::size_t expected = dimensions_ + (header_.target() == Target::kNone ? 0 : 1);
  if (parts_ == expected) return;
  const auto because = [](const std::string& about) {
    return about.empty() ? about : fmt::format(" ({})", about);
  };
  const std::string about_dimensions =
      known_dimensions() > 0 ? header_.about_dimensions() : "as in the first sequence";
  const std::string about_target = because(header_.about_target());
  const bool targets = expected > dimensions_;
  const std::string_view last = fields_[std::min({parts_, expected, fields_.size()}) - 1];
  lines_.refuse(parts_ > expected ? last.data() + last.size() + 1 : last.data(),
                counted(parts_, "part") + " separated by \":\"",
                fmt::format("{}: {}{} and {}{}; correct the header or the data", expected,
                            counted(dimensions_, "dimension"), because(about_dimensions),
                            targets ? "the target" : "no target", about_target));
}

bool TsReader::next(Sequence& sequence) {
  if (!ahead_ && !lines_.next()) return false;
  ahead_ = false;
  ++cases_;
  split_case(dimensions_ + 1);
  check_parts();
  sequence.clear();
  sequence.set_number(cases_);
  sequence.line = lines_.number();
  numbers_.clear();
  for (std::size_t d = 0, steps = 0; d < dimensions_; ++d) {
    read_dimension(d);
    if (d == 0) steps = numbers_.steps();
    if (numbers_.steps() == steps) continue;
    lines_.refuse(fields_[d].data(), "a dimension of " + counted(numbers_.steps(), "value"),
                  fmt::format("{}, as in the first dimension{}", steps, if_class(d)));
  }
  check_length(numbers_.steps());
  numbers_.put(sequence);
  if (const char* at = numbers_.missing()) sequence.missing = lines_.place(at);
  if (target_ != Target::kNone) read_answer(trimmed(fields_.back()), sequence);
  return true;
}

void TsReader::read_dimension(std::size_t dimension) {
  numbers_.begin();
  std::string_view text = fields_[dimension], value;
  if (trimmed(text).empty()) return;
  const bool has_most = header_.series_length.line > 0;
  for (bool more = true; more;) {
    more = next_value(text, value);
    float number = 0;
    check_number(parse_number(value, number), value, dimension);
    if (has_most && numbers_.steps() == header_.series_length.value) {
      lines_.refuse(value.data(), "more than " + counted(numbers_.steps(), "value"), said_length());
    }
    if (!numbers_.add(number, value.data())) refuse_numbers(lines_, value.data());
  }
}

void TsReader::check_number(Number read, std::string_view value, std::size_t dimension) const {
  if (read == Number::kRead) return;
  if (read == Number::kMissing) {
    if (header_.missing.line == 0 || header_.missing.value) return;
    lines_.refuse(value.data(), io::quote(value),
                  "a number, " + as_line_says(header_.missing.line, "@missing false"));
  }
  std::string expected(expected_of(read));
  if (value.starts_with('(')) {
    expected += header_.time_stamps.line > 0
                    ? ", " + as_line_says(header_.time_stamps.line, "@timeStamps false")
                    : "; (time,value) needs @timeStamps true in the header";
  }
  lines_.refuse(value.data(), io::quote(value), expected + if_class(dimension));
}

std::string TsReader::if_class(std::size_t dimension) const {
  if (dimension == 0 || dimension + 1 < dimensions_ || header_.target() != Target::kNone) return "";
  const std::string about = header_.about_target();
  return fmt::format("; a class needs @classLabel true and its names in the header{}",
                     about.empty() ? "" : fmt::format(" ({})", about));
}

// Takes the next value off a dimension; from (time,value) the value. Returns whether more follow.
bool TsReader::next_value(std::string_view& text, std::string_view& value) const {
  if (header_.time_stamps.value) {
    text = trimmed(text);
    const std::size_t close = text.find(')');
    const std::size_t comma = text.substr(0, close).rfind(',');
    if (!text.starts_with('(') || close == text.npos || comma == text.npos) {
      lines_.refuse(text.data(), io::quote(text),
                    "(time,value), " + as_line_says(header_.time_stamps.line, "@timeStamps true"));
    }
    value = text.substr(comma + 1, close - comma - 1);
    text = trimmed(text.substr(close + 1));
    if (!text.empty() && text.front() != ',') {
      lines_.refuse(text.data(), io::quote(text), "a comma");
    }
  } else {
    value = text.substr(0, text.find(','));
    text.remove_prefix(value.size());
    value = trimmed(value);
  }
  if (text.empty()) return false;
  text.remove_prefix(1);
  return true;
}

// In a file of unequal lengths, @seriesLength can only be the longest.
void TsReader::check_length(std::size_t steps) {
  if (!first_steps_) first_steps_ = steps;
  const bool unequal = header_.equal_length.line > 0 && !header_.equal_length.value;
  const auto refuse = [&](const std::string& expected) {
    lines_.refuse(lines_.text().data(), "a sequence of " + counted(steps, "step"), expected);
  };
  if (steps < header_.series_length.value && !unequal) refuse(said_length());
  if (header_.equal_length.value && steps != *first_steps_) {
    refuse(fmt::format("{}, as in the first sequence, {}", *first_steps_,
                       as_line_says(header_.equal_length.line, "@equalLength true")));
  }
}

std::string TsReader::said_length() const {
  const auto& [length, line] = header_.series_length;
  return fmt::format("{}, {}", length, as_line_says(line, fmt::format("@seriesLength {}", length)));
}

void TsReader::read_answer(std::string_view text, Sequence& sequence) const {
  float number = 0;
  const Number read = parse_number(text, number);
  if (optional_answers_ && read == Number::kMissing) return;
  if (target_ == Target::kNumbers) {
    if (read != Number::kRead) lines_.refuse(text.data(), io::quote(text), expected_of(read));
    sequence.values.push_back(number);
  } else if (header_.classes.contains(text)) {
    sequence.labels.push_back(vocabulary_->labels.number(text));
  } else {
    lines_.refuse(text.data(), io::quote(text),
                  fmt::format("one of the classes on line {}: {}", header_.class_label.line,
                              io::escape(fmt::to_string(fmt::join(header_.classes, " ")))));
  }
}
}  // namespace

std::unique_ptr<Reader> open_ts(std::unique_ptr<Source> source, const Options& options,
                                SharedVocabulary vocabulary) {
  return std::make_unique<TsReader>(std::move(source), options, std::move(vocabulary));
}

}  // namespace rwa::formats

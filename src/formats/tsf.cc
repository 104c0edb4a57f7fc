// src/formats/tsf.cc: .tsf, the format of the Monash forecasting archive: a series per line, after
// its attributes, all separated by ":". Data that contradicts the header is refused, as in .ts.
#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/counted.h"
#include "formats/dimensions.h"
#include "formats/formats.h"
#include "formats/headed_lines.h"
#include "formats/match.h"
#include "formats/parse.h"
#include "formats/time_step.h"
#include "io/quote.h"

namespace rwa::formats {
namespace {

enum class Type { kString, kNumber, kDate };

struct Attribute {
  std::string name;
  Type type = Type::kString;
};

struct Header {
  std::vector<Attribute> attributes = {};
  std::optional<TimeStep> step = {};              // @frequency
  int horizon = 0;                                // @horizon; 0: none
  std::int64_t no_missing = 0, equal_length = 0;  // lines that say so; 0: none
};

Type type_of(const HeadedLines& lines, std::string_view name) {
  if (same_letters(name, "string")) return Type::kString;
  if (same_letters(name, "numeric")) return Type::kNumber;
  if (same_letters(name, "date")) return Type::kDate;
  lines.refuse(name.data(), name.empty() ? "no type" : io::quote(name), "string, numeric or date");
}

void read_attribute(HeadedLines& lines, Header& header) {
  std::string_view rest = lines.value();
  const std::string_view name = next_word(rest);
  if (name.empty()) lines.refuse(lines.text().data(), "no name", "@attribute NAME TYPE");
  lines.count_listed("attributes");
  header.attributes.push_back({std::string(name), type_of(lines, rest)});
}

Header read_header(HeadedLines& lines) {
  Header header;
  while (lines.next_key()) {
    if (lines.is("@attribute")) {
      read_attribute(lines, header);
    } else if (lines.is("@missing")) {
      header.no_missing = lines.yes() ? 0 : lines.number();
    } else if (lines.is("@equallength")) {
      header.equal_length = lines.yes() ? lines.number() : 0;
    } else if (lines.is("@horizon")) {
      header.horizon = static_cast<int>(lines.count());
    } else if (lines.is("@frequency")) {
      header.step = named_time_step(lines.value());
    } else if (!lines.is("@relation")) {
      lines.refuse_key({"@relation", "@attribute", "@frequency", "@horizon", "@missing",
                        "@equallength", "@data"});
    }
  }
  return header;
}

bool is_date(std::string_view text) {
  constexpr std::string_view kForm = "0000-00-00 00-00-00";
  return std::ranges::equal(text, kForm, [](unsigned char c, char form) {
    return form == '0' ? std::isdigit(c) != 0 : c == static_cast<unsigned char>(form);
  });
}

// Seconds since 1970 of a date that is_date().
double start_of(std::string_view text) {
  constexpr double kMinute = 60, kHour = 3600;
  const auto number = [&](std::size_t at) { return (text[at] - '0') * 10 + (text[at + 1] - '0'); };
  const auto day = parse_time(text.substr(0, text.find(' ')), TimeForm::kDate);
  return day.value_or(0) + number(11) * kHour + number(14) * kMinute + number(17);
}

class TsfReader : public SourceReader {
 public:
  TsfReader(std::unique_ptr<Source> source, const Options& options, SharedVocabulary vocabulary);

  bool next(Sequence& sequence) override;
  bool skip() override { return lines_.is_read(); }

 private:
  void describe(const Options& options);
  void split_line();
  void check_attributes() const;
  void read_series();
  void check_length();
  void set_times(Sequence& sequence) const;

  HeadedLines lines_;
  Header header_;
  std::optional<std::size_t> id_, start_;  // attributes
  bool ahead_ = true;                      // the current line is a series not returned yet
  int series_ = 0;
  std::optional<std::size_t> first_steps_;  // of the first series
  std::vector<std::string_view> parts_;
  Dimensions numbers_;
};

TsfReader::TsfReader(std::unique_ptr<Source> source, const Options& options,
                     SharedVocabulary vocabulary)
    : SourceReader(std::move(source), std::move(vocabulary)),
      lines_(*source_, '#'),
      header_(read_header(lines_)) {
  lines_.begin_data();
  const auto id = std::ranges::find(header_.attributes, Type::kString, &Attribute::type);
  if (id != header_.attributes.end()) {
    id_ = static_cast<std::size_t>(id - header_.attributes.begin());
  }
  const auto start = std::ranges::find(header_.attributes, Type::kDate, &Attribute::type);
  if (start != header_.attributes.end()) {
    start_ = static_cast<std::size_t>(start - header_.attributes.begin());
  }
  match_target(Target::kNone, options, file());
  describe(options);
  match_model(schema_, options, file());
}

void TsfReader::describe(const Options& options) {
  schema_.format = Format::kTsf;
  schema_.features = {"value"};
  schema_.horizon = header_.horizon;
  if (start_ && header_.step) schema_.time_form = TimeForm::kDate;
  if (id_) schema_.id = header_.attributes[*id_].name;
  for (std::size_t i = 0; i < header_.attributes.size(); ++i) {
    const auto& [name, type] = header_.attributes[i];
    if (i == id_) {
      findings_.columns.push_back({name, "id", "the first string attribute"});
    } else if (type == Type::kDate) {
      findings_.columns.push_back({name, "start time", "a date"});
    } else {
      findings_.columns.push_back({name, "left out", "the same for all steps"});
    }
  }
  findings_.columns.push_back({"value", "feature", "the numbers at the end of a line"});
  findings_.task = task_reason(options, "a forecasting format");
}

bool TsfReader::next(Sequence& sequence) {
  if (!ahead_ && !lines_.next()) return false;
  ahead_ = false;
  ++series_;
  split_line();
  check_attributes();
  sequence.clear();
  sequence.line = lines_.number();
  if (id_) {
    lines_.require_utf8(parts_[*id_]);
    sequence.id = parts_[*id_];
  } else {
    sequence.set_number(series_);
  }
  read_series();
  check_length();
  numbers_.put(sequence);
  if (const char* at = numbers_.missing()) sequence.missing = lines_.place(at);
  set_times(sequence);
  return true;
}

void TsfReader::set_times(Sequence& sequence) const {
  if (!start_ || !header_.step) return;
  const double start = start_of(parts_[*start_]);
  for (int t = 0; t < sequence.steps; ++t) {
    sequence.times.push_back(later(start, *header_.step, t));
  }
}

void TsfReader::split_line() {
  const std::size_t expected = header_.attributes.size() + 1;
  std::string_view text = lines_.text();
  parts_.clear();
  std::size_t count = 0;
  for (std::size_t end = 0; end != text.npos; ++count) {
    end = text.find(':');
    if (count < expected) parts_.push_back(trimmed(text.substr(0, end)));
    text.remove_prefix(end == text.npos ? 0 : end + 1);
  }
  if (count == expected) return;
  const std::string_view last = parts_.back();
  lines_.refuse(count > expected ? last.data() + last.size() : last.data(),
                counted(count, "part") + " separated by \":\"",
                fmt::format("{}: {} and the series", expected,
                            counted(header_.attributes.size(), "attribute")));
}

void TsfReader::check_attributes() const {
  for (std::size_t i = 0; i < header_.attributes.size(); ++i) {
    const std::string_view part = parts_[i];
    const Type type = header_.attributes[i].type;
    float number = 0;
    if (type == Type::kDate && !is_date(part)) {
      lines_.refuse(part.data(), io::quote(part), "a date like 1972-01-31 00-00-00");
    }
    if (type == Type::kNumber && parse_number(part, number) == Number::kNone) {
      lines_.refuse(part.data(), io::quote(part), "a number");
    }
  }
}

void TsfReader::read_series() {
  numbers_.clear();
  numbers_.begin();
  std::string_view text = parts_.back();
  if (text.empty()) lines_.refuse(text.data(), "no numbers", "a series");
  for (std::size_t end = 0; end != text.npos;) {
    end = text.find(',');
    const std::string_view value = trimmed(text.substr(0, end));
    text.remove_prefix(end == text.npos ? 0 : end + 1);
    float number = 0;
    const Number read = parse_number(value, number);
    if (read == Number::kMissing && header_.no_missing > 0) {
      lines_.refuse(value.data(), io::quote(value),
                    "a number, " + as_line_says(header_.no_missing, "@missing false"));
    }
    if (read != Number::kRead && read != Number::kMissing) {
      lines_.refuse(value.data(), io::quote(value), expected_of(read));
    }
    if (!numbers_.add(number, value.data())) refuse_numbers(lines_, value.data());
  }
}

void TsfReader::check_length() {
  if (!first_steps_) first_steps_ = numbers_.steps();
  if (header_.equal_length == 0 || numbers_.steps() == *first_steps_) return;
  lines_.refuse(parts_.back().data(), "a series of " + counted(numbers_.steps(), "step"),
                fmt::format("{}, as in the first series, {}", *first_steps_,
                            as_line_says(header_.equal_length, "@equallength true")));
}
}  // namespace

std::unique_ptr<Reader> open_tsf(std::unique_ptr<Source> source, const Options& options,
                                 SharedVocabulary vocabulary) {
  return std::make_unique<TsfReader>(std::move(source), options, std::move(vocabulary));
}

}  // namespace rwa::formats

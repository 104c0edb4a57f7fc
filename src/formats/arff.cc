// src/formats/arff.cc: ARFF, the format of Weka and of older UCR and UEA archives. A row is a
// sequence: numbers, the steps of one feature; a relation, whose rows are the dimensions and whose
// attributes are the steps; or a text. Rows are split at commas, as the format requires.
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
#include "formats/arff_header.h"
#include "formats/arff_roles.h"
#include "formats/dimensions.h"
#include "formats/formats.h"
#include "formats/headed_lines.h"
#include "formats/match.h"
#include "formats/parse.h"
#include "formats/text_symbols.h"
#include "io/quote.h"

namespace rwa::formats {
namespace {
using Type = ArffAttribute::Type;

constexpr std::string_view kBreak = "\\n";  // between the dimensions of a relation

// Takes the next part off a text. Returns whether more follow.
bool next_part(std::string_view& text, std::string_view separator, std::string_view& part) {
  const std::size_t end = text.find(separator);
  part = text.substr(0, end);
  text.remove_prefix(end == text.npos ? text.size() : end + separator.size());
  return end != text.npos;
}

bool is_missing(const ArffWord& cell) { return !cell.quoted && cell.text == "?"; }

class ArffReader : public SourceReader {
 public:
  ArffReader(std::unique_ptr<Source> source, const Options& options, SharedVocabulary vocabulary);

  bool next(Sequence& sequence) override;
  bool skip() override { return lines_.is_read(); }

 private:
  [[nodiscard]] Target find_target(const Options& options) const;
  void describe(const Options& options);
  [[nodiscard]] std::string why_task() const;
  void describe_attribute(std::size_t attribute, const Options& options);
  [[nodiscard]] std::size_t count_dimensions();  // of the first sequence

  void split_row();
  void check_count(std::size_t found) const;
  void add_number(std::string_view text);
  void read_steps();
  void read_relation();
  void read_dimension(std::string_view text);
  void read_text(Sequence& sequence);
  void read_answer(Sequence& sequence) const;
  [[nodiscard]] std::string_view relation_text() const;

  HeadedLines lines_;
  std::vector<ArffAttribute> attributes_;
  ArffRoles roles_;
  bool optional_answers_;  // targets may be missing: a model reads the data
  TextSymbols symbols_;
  Target target_ = Target::kNone;
  std::size_t dimensions_ = 1;
  bool ahead_ = true;  // the current line is a sequence not returned yet
  int rows_ = 0;
  std::vector<ArffWord> cells_;
  Dimensions numbers_;
};

ArffReader::ArffReader(std::unique_ptr<Source> source, const Options& options,
                       SharedVocabulary vocabulary)
    : SourceReader(std::move(source), std::move(vocabulary)),
      lines_(*source_, '%'),
      attributes_(read_arff_header(lines_)),
      roles_(guess_arff_roles(attributes_, options, file())),
      optional_answers_(options.as.has_value()),
      symbols_(vocabulary_, options) {
  lines_.begin_data();
  if (roles_.relation) dimensions_ = count_dimensions();
  target_ = match_target(find_target(options), options, file());
  describe(options);
  match_model(schema_, options, file());
}

// A number is a class only if the options or the model say so.
Target ArffReader::find_target(const Options& options) const {
  if (!roles_.target) return Target::kNone;
  if (attributes_[*roles_.target].type == Type::kNominal) return Target::kClass;
  return requested_target(options) == Target::kClass ? Target::kClass : Target::kNumbers;
}

void ArffReader::describe(const Options& options) {
  schema_.format = Format::kArff;
  schema_.target = target_;
  schema_.symbols = roles_.text.has_value();
  if (roles_.text) {
    schema_.features = {attributes_[*roles_.text].name};
  } else if (dimensions_ == 1) {
    schema_.features = {"x"};
  } else {
    for (std::size_t i = 0; i < dimensions_; ++i) {
      schema_.features.push_back(fmt::format("dim_{}", i));
    }
  }
  if (target_ != Target::kNone) schema_.targets = {attributes_[*roles_.target].name};
  if (roles_.id) schema_.id = attributes_[*roles_.id].name;
  for (std::size_t i = 0; i < attributes_.size(); ++i) describe_attribute(i, options);
  findings_.task = task_reason(options, why_task());
}

std::string ArffReader::why_task() const {
  if (!roles_.target) return "no attribute lists classes or is called class, target, label or y";
  const ArffAttribute& attribute = attributes_[*roles_.target];
  const std::string name = io::quote(attribute.name);
  if (attribute.type == Type::kNumber) return fmt::format("{} is numeric", name);
  const std::size_t count = attribute.values.size();
  return fmt::format("{} lists {} {}", name, count, count == 1 ? "class" : "classes");
}

void ArffReader::describe_attribute(std::size_t attribute, const Options& options) {
  const std::string& name = attributes_[attribute].name;
  const auto add = [&](std::string_view role, std::string_view why) {
    findings_.columns.push_back({name, std::string(role), std::string(why)});
  };
  if (attribute == roles_.target) {
    const bool used = target_ != Target::kNone;
    add(used ? "target" : "left out", used ? roles_.why_target : "the task needs no target");
  } else if (attribute == roles_.id) {
    add("id", options.id.empty() ? "its name" : "--id");
  } else if (attribute == roles_.text) {
    add("text", options.features.empty() ? "the string attribute" : "--features");
  } else if (attribute == roles_.relation) {
    add("features", options.features.empty() ? "the relational attribute" : "--features");
  } else if (std::ranges::binary_search(roles_.steps, attribute)) {
    add("step", "a number");
  } else {
    add("left out", "neither the sequence nor the target");
  }
}

std::string_view ArffReader::relation_text() const {
  const ArffWord& cell = cells_[*roles_.relation];
  if (is_missing(cell) || !cell.quoted) {
    lines_.refuse(cell.text.data(), io::quote(cell.text), "dimensions in quotes, separated by \\n");
  }
  std::string_view text = cell.text;
  if (text.ends_with(kBreak)) text.remove_suffix(kBreak.size());
  return text;
}

std::size_t ArffReader::count_dimensions() {
  split_row();
  std::string_view text = relation_text(), part;
  std::size_t count = 1;
  while (next_part(text, kBreak, part)) ++count;
  if (count > kMostFeatures) {
    lines_.refuse(lines_.text().data(), "a sequence of " + counted(count, "dimension"),
                  fmt::format("at most {}", in_thousands(kMostFeatures)));
  }
  return count;
}

bool ArffReader::next(Sequence& sequence) {
  if (!ahead_ && !lines_.next()) return false;
  ahead_ = false;
  ++rows_;
  split_row();
  sequence.clear();
  sequence.line = lines_.number();
  if (roles_.id) {
    lines_.require_utf8(cells_[*roles_.id].text);
    sequence.id = cells_[*roles_.id].content();
  } else {
    sequence.set_number(rows_);
  }
  if (roles_.text) {
    read_text(sequence);
  } else {
    numbers_.clear();
    if (roles_.relation) {
      read_relation();
    } else {
      read_steps();
    }
    numbers_.cut_missing_end();  // they mark a shorter sequence
    numbers_.put(sequence);
    if (const char* at = numbers_.missing()) sequence.missing = lines_.place(at);
  }
  if (target_ != Target::kNone) read_answer(sequence);
  return true;
}

void ArffReader::split_row() {
  std::string_view text = lines_.text();
  if (text.front() == '{') {
    lines_.refuse(text.data(), "a sparse row",
                  counted(attributes_.size(), "value") + " separated by commas");
  }
  cells_.clear();
  std::size_t count = 0;
  for (bool more = true; more;) {
    const ArffWord cell = next_arff_word(lines_, text, ",%");
    if (count++ < attributes_.size()) cells_.push_back(cell);
    text = trimmed(text);
    more = !text.empty() && text.front() != '%';
    if (more && text.front() != ',') {
      lines_.refuse(text.data(), io::quote(text), "a comma after the closing quote");
    }
    if (more) text.remove_prefix(1);
  }
  check_count(count);
}

void ArffReader::check_count(std::size_t found) const {
  if (found == attributes_.size()) return;
  const std::string_view last = cells_.back().text;
  lines_.refuse(found > attributes_.size() ? last.data() + last.size() : last.data(),
                counted(found, "value") + " separated by commas",
                fmt::format("{}, one per attribute", attributes_.size()));
}

void ArffReader::add_number(std::string_view text) {
  text = trimmed(text);
  float number = 0;
  const Number read = parse_number(text, number);
  if (read != Number::kRead && read != Number::kMissing) {
    lines_.refuse(text.data(), io::quote(text), expected_of(read));
  }
  if (!numbers_.add(number, text.data())) refuse_numbers(lines_, text.data());
}

void ArffReader::read_steps() {
  numbers_.begin();
  for (const std::size_t step : roles_.steps) add_number(cells_[step].text);
}

void ArffReader::read_relation() {
  std::string_view text = relation_text(), part;
  std::size_t count = 0;
  for (bool more = true; more; ++count) {
    more = next_part(text, kBreak, part);
    if (count < dimensions_) read_dimension(part);
  }
  if (count == dimensions_) return;
  lines_.refuse(cells_[*roles_.relation].text.data(), counted(count, "dimension"),
                fmt::format("{}, as in the first sequence", dimensions_));
}

void ArffReader::read_dimension(std::string_view text) {
  const ArffAttribute& relation = attributes_[*roles_.relation];
  const char* const begin = text.data();
  numbers_.begin();
  std::string_view value;
  std::size_t count = 0;
  for (bool more = true; more; ++count) {
    more = next_part(text, ",", value);
    if (count < relation.width) add_number(value);
  }
  if (count == relation.width) return;
  lines_.refuse(
      begin, "a dimension of " + counted(count, "value"),
      fmt::format("{}, one per attribute of {}", relation.width, io::quote(relation.name)));
}

void ArffReader::read_text(Sequence& sequence) {
  const ArffWord& cell = cells_[*roles_.text];
  if (is_missing(cell)) lines_.refuse(cell.text.data(), io::quote(cell.text), "a text");
  lines_.require_utf8(cell.text);
  symbols_.append(cell.content(), sequence);
}

void ArffReader::read_answer(Sequence& sequence) const {
  const ArffWord& cell = cells_[*roles_.target];
  const ArffAttribute& attribute = attributes_[*roles_.target];
  if (optional_answers_ && is_missing(cell)) return;
  const std::string value = cell.content();
  if (attribute.type == Type::kNominal) {
    if (is_missing(cell) || !attribute.values.contains(value)) {
      lines_.refuse(cell.text.data(), io::quote(value),
                    fmt::format("one of the classes on line {}: {}", attribute.line,
                                io::escape(fmt::to_string(fmt::join(attribute.values, " ")))));
    }
  } else {
    float number = 0;
    const Number read = parse_number(value, number);
    if (read != Number::kRead) {
      lines_.refuse(cell.text.data(), io::quote(value), expected_of(read));
    }
    if (target_ == Target::kNumbers) return sequence.values.push_back(number);
  }
  sequence.labels.push_back(vocabulary_->labels.number(value));
}
}  // namespace

std::unique_ptr<Reader> open_arff(std::unique_ptr<Source> source, const Options& options,
                                  SharedVocabulary vocabulary) {
  return std::make_unique<ArffReader>(std::move(source), options, std::move(vocabulary));
}

}  // namespace rwa::formats

// src/formats/text.cc: one sequence of characters or words per line, optionally after labels as in
// fastText: __label__x. Skips blank lines.
#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "formats/formats.h"
#include "formats/match.h"
#include "formats/parse.h"
#include "formats/text_symbols.h"
#include "io/quote.h"

namespace rwa::formats {
namespace {

constexpr std::string_view kLabel = "__label__";
constexpr Source::Longest kLongestText = {Source::kLongestLine.bytes,
                                          "break the text into several lines, each a sequence"};

class TextReader : public LineReader {
 public:
  TextReader(std::unique_ptr<Source> source, const Options& options, SharedVocabulary vocabulary);

  bool next(Sequence& sequence) override;

 private:
  [[nodiscard]] Target guess_target();
  std::string_view read_labels(Sequence& sequence);

  bool optional_answers_;  // labels may be missing: a model reads the data
  bool labelled_;          // lines may have labels
  Target target_ = Target::kNone;
  TextSymbols symbols_;
};

TextReader::TextReader(std::unique_ptr<Source> source, const Options& options,
                       SharedVocabulary vocabulary)
    : LineReader(std::move(source), std::move(vocabulary)),
      optional_answers_(options.as.has_value()),
      symbols_(vocabulary_, options) {
  Target found = guess_target();
  labelled_ = found != Target::kNone || optional_answers_;
  // One label per line is enough for multi-label. For a single label, a second one is refused
  // later, with its line.
  const std::optional<Target> asked = requested_target(options);
  if (labelled_ && (asked == Target::kClass || asked == Target::kLabels)) found = *asked;
  target_ = match_target(found, options, file());
  schema_.format = Format::kText;
  schema_.symbols = true;
  schema_.target = target_;
  if (target_ != Target::kNone) schema_.targets = {"label"};
  findings_.task = task_reason(
      options, labelled_ ? "lines begin with __label__" : "no line begins with __label__");
  match_model(schema_, options, file());
}

Target TextReader::guess_target() {
  Target found = Target::kNone;
  std::string_view lines = beginning(*source_), line;
  while (next_line(lines, line)) {
    if (!next_word(line).starts_with(kLabel)) continue;
    if (next_word(line).starts_with(kLabel)) return Target::kLabels;
    found = Target::kClass;
  }
  return found;
}

bool TextReader::next(Sequence& sequence) {
  do {
    if (!read_line(kLongestText)) return false;
  } while (trimmed(line_).empty());
  source_->require_utf8(line_, line_);
  sequence.clear();
  sequence.line = source_->line_number();
  sequence.set_number(sequence.line);
  symbols_.append(read_labels(sequence), sequence);
  return true;
}

// Returns the text after the labels.
std::string_view TextReader::read_labels(Sequence& sequence) {
  std::string_view text = line_, rest = line_;
  for (std::string_view word; (word = next_word(rest)).starts_with(kLabel); text = rest) {
    const std::string_view label = word.substr(kLabel.size());
    if (!labelled_) refuse(word.data(), io::quote(word), "no label, as on earlier lines");
    if (label.empty()) refuse(word.data(), io::quote(word), "a name after __label__");
    if (target_ == Target::kClass && !sequence.labels.empty()) {
      refuse(word.data(), fmt::format("a second label {}", io::quote(label)),
             "one label per line; for several, use --task labels");
    }
    if (target_ != Target::kNone) sequence.labels.push_back(vocabulary_->labels.number(label));
  }
  if (target_ != Target::kNone && sequence.labels.empty() && !optional_answers_) {
    refuse(line_.data(), io::quote(line_), "a label before the text, like __label__x");
  }
  return text;
}
}  // namespace

std::unique_ptr<Reader> open_text(std::unique_ptr<Source> source, const Options& options,
                                  SharedVocabulary vocabulary) {
  return std::make_unique<TextReader>(std::move(source), options, std::move(vocabulary));
}

}  // namespace rwa::formats

// src/formats/fasta.cc: FASTA and FASTQ. The usual kseq.h tracks neither lines nor letters, so its
// errors could not say where a file is wrong.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <deque>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/counted.h"
#include "formats/formats.h"
#include "formats/labels.h"
#include "formats/match.h"
#include "formats/parse.h"
#include "formats/text_symbols.h"
#include "io/quote.h"

namespace rwa::formats {
namespace {

constexpr std::size_t kPart = std::size_t{1} << 20;  // of a line; a header is one

// Upper case, or 0 for an invalid character. Every letter occurs in an IUPAC alphabet, of
// nucleotides or of amino acids.
char letter_of(char c) {
  if (c == '*' || c == '-') return c;
  return std::isalpha(static_cast<unsigned char>(c)) != 0
             ? static_cast<char>(std::toupper(static_cast<unsigned char>(c)))
             : '\0';
}

class FastaReader : public LineReader {
 public:
  FastaReader(std::unique_ptr<Source> source, const Options& options, SharedVocabulary vocabulary);

  bool next(Sequence& sequence) override;
  // In FASTQ, headers cannot be told from quality lines: only a complete record can be skipped.
  bool skip() override;

 private:
  [[nodiscard]] Target guess_target();
  bool next_line();  // or the next part of a long one; skips empty lines
  [[nodiscard]] bool begins_with(char mark) const;
  void require_whole_line() const;
  void check_header() const;
  void read_header(Sequence& sequence);
  void read_label(std::string_view header, Sequence& sequence);
  void read_letters();
  void append_symbols(Sequence& sequence);
  void read_quality();

  std::optional<HeaderLabel> label_;  // if labels are in the headers
  bool optional_answers_;             // labels may be missing: a model reads the data
  Target target_ = Target::kNone;
  TextSymbols symbols_;
  char mark_ = '>';        // first character of a header
  bool more_ = false;      // line_ is the header of the next record
  bool complete_ = false;  // the current record is read to its end
  int records_ = 0;
  const std::size_t kmer_;
  // Letters of the current record. Blocks are freed as their letters become symbols, which are four
  // times as large.
  std::deque<std::string> blocks_;
  std::size_t letters_ = 0;
  int letter_lines_ = 0;
};

FastaReader::FastaReader(std::unique_ptr<Source> source, const Options& options,
                         SharedVocabulary vocabulary)
    : LineReader(std::move(source), std::move(vocabulary)),
      label_(HeaderLabel::parse(label_from(options))),
      optional_answers_(options.as.has_value()),
      symbols_(vocabulary_, options),
      kmer_(static_cast<std::size_t>(options.kmer)) {
  schema_.symbols = true;
  Target found = Target::kNone;
  if (label_) {
    // The options may say whether the word is a class or a number.
    const std::optional<Target> asked = requested_target(options);
    const bool fits = asked == Target::kClass || asked == Target::kNumbers;
    found = fits ? *asked : guess_target();
  }
  target_ = match_target(found, options, file());
  schema_.target = target_;
  if (target_ != Target::kNone) {
    schema_.targets = {"label"};
    schema_.label_from = label_from(options);
  }
  more_ = next_line();
  if (!more_) source_->refuse(1, "no records", "a header that starts with > or @");
  if (line_.front() == '@') mark_ = '@';
  check_header();
  schema_.format = mark_ == '@' ? Format::kFastq : Format::kFasta;
  findings_.task = task_reason(options, !label_                     ? "no labels in the file"
                                        : found == Target::kNumbers ? "every label is a number"
                                                                    : "labels are words");
  match_model(schema_, options, file());
}

// Numbers only if all headers have one. In FASTQ, headers cannot be told from quality lines.
Target FastaReader::guess_target() {
  TargetGuess guess;
  std::string_view lines = beginning(*source_), line;
  if (trimmed(lines).starts_with('@')) return Target::kClass;
  while (formats::next_line(lines, line)) {
    if (line.starts_with('>')) guess.see(label_->find(line.substr(1)));
  }
  return guess.target() == Target::kNumbers ? Target::kNumbers : Target::kClass;
}

bool FastaReader::next_line() {
  while (read_part_of_line(kPart)) {
    if (source_->ends_line()) line_ = without_blanks_at_end(line_);
    if (!line_.empty()) return true;
  }
  return false;
}

bool FastaReader::begins_with(char mark) const {
  return source_->begins_line() && line_.front() == mark;
}

void FastaReader::require_whole_line() const {
  if (source_->ends_line()) return;
  refuse(line_.data() + line_.size(), fmt::format("a header of more than {} MiB", kPart >> 20),
         "at most that: shorten it");
}

void FastaReader::check_header() const {
  if (!more_ || begins_with(mark_)) return;
  refuse(line_.data(), io::quote(line_), fmt::format("a header that starts with {}", mark_));
}

bool FastaReader::next(Sequence& sequence) {
  if (!more_) return false;
  complete_ = false;
  sequence.clear();
  read_header(sequence);
  read_letters();
  if (mark_ == '@') read_quality();
  complete_ = true;
  if (letters_ == 0) {
    source_->refuse(sequence.line, "a record without letters", "at least one: remove the record");
  }
  append_symbols(sequence);
  return true;
}

void FastaReader::append_symbols(Sequence& sequence) {
  sequence.symbols.reserve(letters_);
  std::string text;
  for (; !blocks_.empty(); blocks_.pop_front()) {
    text += blocks_.front();
    symbols_.append(text, sequence);
    text.erase(0, text.size() - std::min(kmer_ - 1, text.size()));  // begins the next k-mers
  }
}

bool FastaReader::skip() {
  if (complete_) return true;
  if (mark_ == '@' || !LineReader::skip()) return false;
  do {
    more_ = next_line();
  } while (more_ && !begins_with(mark_));
  return true;
}

void FastaReader::read_header(Sequence& sequence) {
  require_whole_line();
  std::string_view header = line_.substr(1);
  sequence.line = source_->line_number();
  ++records_;
  if (target_ != Target::kNone) read_label(header, sequence);
  sequence.id = next_word(header);
  source_->require_utf8(line_, line_.substr(0, line_.size() - header.size()));
  if (sequence.id.empty()) sequence.set_number(records_);
}

void FastaReader::read_label(std::string_view header, Sequence& sequence) {
  const std::string_view label = label_->find(header);
  if (label.empty()) {
    if (optional_answers_) return;
    refuse(line_.data(), io::quote(line_), label_->expected());
  }
  source_->require_utf8(line_, label);
  if (target_ == Target::kClass) {
    sequence.labels.push_back(vocabulary_->labels.number(label));
    return;
  }
  float value = 0;
  const Number number = parse_number(label, value);
  if (number != Number::kRead) refuse(label.data(), io::quote(label), expected_of(number));
  sequence.values.push_back(value);
}

void FastaReader::read_letters() {
  constexpr std::size_t kMost = std::numeric_limits<int>::max();
  constexpr std::size_t kBlock = std::size_t{1} << 20;
  const char end = mark_ == '@' ? '+' : mark_;
  blocks_.clear();
  letters_ = 0;
  for (letter_lines_ = 0; (more_ = next_line()) && !begins_with(end);) {
    letter_lines_ += source_->ends_line() ? 1 : 0;
    if (blocks_.empty() || blocks_.back().size() >= kBlock) blocks_.emplace_back();
    for (const char& c : line_) {
      const char letter = letter_of(c);
      if (letter == '\0') {
        refuse(&c, io::quote(character_at(line_, &c)), "a letter, * or -");
      }
      blocks_.back() += letter;
    }
    letters_ += line_.size();
    if (letters_ > kMost) refuse(line_.data(), "a record of 2^31 letters or more", "fewer");
  }
  if (!more_ && mark_ == '@') {
    source_->refuse(source_->line_number(), "the end of the file",
                    "a + line and the quality string");
  }
}

// The quality may contain @, so only the number of letters tells where it ends. If the letters are
// on one line, so is the quality: a truncated one is then reported here, not in the next record.
void FastaReader::read_quality() {
  require_whole_line();  // that of the +
  std::size_t found = 0;
  while (found < letters_) {
    if (!next_line()) {
      source_->refuse(source_->line_number(), "the end of the file",
                      "a quality string of " + counted(letters_, "character"));
    }
    const auto wrong = std::ranges::find_if(line_, [](char c) { return c < '!' || c > '~'; });
    if (wrong != line_.end()) {
      refuse(&*wrong, io::quote(character_at(line_, &*wrong)), "a quality character from ! to ~");
    }
    found += line_.size();
    const bool is_short = letter_lines_ == 1 && source_->ends_line() && found < letters_;
    if (found > letters_ || is_short) {
      refuse(line_.data(), "a quality string of " + counted(found, "character"),
             fmt::format("{}, one per letter", letters_));
    }
  }
  more_ = next_line();
  check_header();
}
}  // namespace

std::unique_ptr<Reader> open_fasta(std::unique_ptr<Source> source, const Options& options,
                                   SharedVocabulary vocabulary) {
  return std::make_unique<FastaReader>(std::move(source), options, std::move(vocabulary));
}

}  // namespace rwa::formats

// src/formats/jsonl.cc: JSON lines, one object per line:
//   {"id": "a", "x": [[0.5, 1], [0.7, 2]], "y": "up"}
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/counted.h"
#include "formats/formats.h"
#include "formats/jsonl_record.h"
#include "formats/match.h"
#include "formats/parse.h"
#include "formats/text_symbols.h"
#include "io/quote.h"
#include "rwa/errors.h"

namespace rwa::formats {
namespace {

using Kind = JsonRecord::Kind;

constexpr Source::Longest kLongestObject = {
    std::size_t{16} << 20,  // the parser takes five times that
    "use several objects, or save long sequences as .npy"};

std::string_view description(Kind kind) {
  switch (kind) {
    case Kind::kNumbers:
      return "a list of numbers";
    case Kind::kLetters:
      return "a string";
    case Kind::kWords:
      return "a list of symbols";
  }
  return "";
}

// Guesses the kind of targets from those of some objects.
class AnswerGuess {
 public:
  void see(const JsonRecord& record, int steps) {
    if (!record.answered) return;
    lists_ = lists_ || record.list;
    every_step_ = every_step_ && record.list && record.answer_rows() == steps;
    if (width_ == 0) width_ = record.answer_width;
    if (count_ == 0) count_ = static_cast<int>(record.answers.size());
    for (const JsonScalar& answer : record.answers) {
      words_ = words_ || answer.kind == JsonScalar::Kind::kWord;
      guess_.see(answer.text);
    }
  }

  [[nodiscard]] Target target() const {
    if (!lists_) return words_ ? Target::kClass : guess_.target();
    const bool classes = words_ || (every_step_ && width_ < 2 && guess_.target() == Target::kClass);
    if (every_step_) return classes ? Target::kClassPerStep : Target::kNumbersPerStep;
    return classes ? Target::kLabels : Target::kNumbers;
  }

  // How many targets there are.
  [[nodiscard]] int names(Target target) const {
    // More are refused with their line.
    if (target == Target::kNumbers) return std::clamp(count_, 1, int{kMostFeatures});
    return target == Target::kNumbersPerStep ? std::max(width_, 1) : 1;
  }

 private:
  bool lists_ = false, words_ = false, every_step_ = true;
  int width_ = 0, count_ = 0;  // of the first non-empty target
  TargetGuess guess_;
};

class JsonlReader : public LineReader {
 public:
  JsonlReader(std::unique_ptr<Source> source, const Options& options, SharedVocabulary vocabulary);

  bool next(Sequence& sequence) override;

 private:
  AnswerGuess guess();
  void match_answers(const AnswerGuess& guess, const Options& options);
  void read_sequence(Sequence& sequence);
  void check_answers(int steps) const;
  void read_answers(Sequence& sequence);

  JsonKeys keys_;
  JsonParser parser_;
  TextSymbols symbols_;
  bool optional_answers_;  // targets may be missing: a model reads the data
  Target target_ = Target::kNone;
  int names_ = 1;             // number of targets
  std::optional<Kind> kind_;  // of the sequences; set by the first one
  int width_ = 0;             // D, if steps are numbers
  bool has_ids_ = false;
  JsonRecord record_;
  int records_ = 0;
};

// Names for the numbers under one key: x0, x1, …
std::vector<std::string> numbered(const std::string& key, int count) {
  std::vector<std::string> names;
  for (int i = 0; i < count; ++i) names.push_back(fmt::format("{}{}", key, i));
  return names;
}

std::string key_of(const std::vector<std::string>& numbered) {
  return numbered.front().substr(0, numbered.front().size() - 1);  // without the final 0
}

// The keys named by the options, or else those of the model's training data.
JsonKeys keys_of(const Options& options) {
  JsonKeys keys;
  if (options.as && options.as->format == Format::kJsonl) {
    const Schema& model = *options.as;
    if (!model.id.empty()) keys.id = model.id;
    if (model.targets.size() == 1) keys.answer = model.targets.front();
    if (model.targets.size() > 1) keys.answer = key_of(model.targets);
    if (!model.features.empty()) {
      keys.sequence = model.symbols ? model.features.front() : key_of(model.features);
    }
  }
  if (!options.id.empty()) keys.id = options.id;
  if (!options.targets.empty()) keys.answer = options.targets.front();
  if (!options.features.empty()) keys.sequence = options.features.front();
  return keys;
}

JsonlReader::JsonlReader(std::unique_ptr<Source> source, const Options& options,
                         SharedVocabulary vocabulary)
    : LineReader(std::move(source), std::move(vocabulary)),
      keys_(keys_of(options)),
      parser_(*source_, keys_, vocabulary_->symbols),
      symbols_(vocabulary_, options),
      optional_answers_(options.as.has_value()) {
  const AnswerGuess answers = guess();
  if (!kind_) kind_ = Kind::kNumbers;  // only empty lists: no features
  schema_.format = Format::kJsonl;
  schema_.symbols = kind_ != Kind::kNumbers;
  if (const std::string option = text_option(options); !option.empty() && kind_ == Kind::kWords) {
    throw ConfigError(
        fmt::format("{}: found lists of symbols, expected strings for {}", file(), option));
  }
  if (!schema_.symbols) {
    schema_.features = numbered(keys_.sequence.empty() ? "x" : keys_.sequence, width_);
  } else if (!keys_.sequence.empty()) {
    schema_.features = {keys_.sequence};
  }
  if (has_ids_) schema_.id = keys_.id;
  match_answers(answers, options);
  findings_.task = task_reason(
      options, fmt::format("{} the key {}",
                           answers.target() == Target::kNone ? "no object has" : "the values of",
                           io::quote(keys_.answer)));
  match_model(schema_, options, file());
}

// Errors are left to next(), which knows the line number. Only if the first object is wrong is
// there nothing to guess from.
AnswerGuess JsonlReader::guess() {
  AnswerGuess answers;
  Sequence sequence;
  int understood = 0;
  std::string_view lines = beginning(*source_, kLongestObject.bytes);
  try {
    while (next_line(lines, line_)) {
      if (trimmed(line_).empty()) continue;
      parser_.parse(line_, record_);
      sequence.clear();
      read_sequence(sequence);
      answers.see(record_, sequence.steps);
      has_ids_ = has_ids_ || !record_.id.empty();
      ++understood;
    }
  } catch (const InputError&) {
    if (understood == 0) next(sequence);  // throws again, with the line number
  }
  if (understood == 0) source_->refuse(1, "no JSON object", "one per line");
  return answers;
}

void JsonlReader::match_answers(const AnswerGuess& guess, const Options& options) {
  const Target found = guess.target();
  // Targets are checked line by line; only their complete absence is refused here.
  if (found == Target::kNone) match_target(found, options, file());
  target_ = requested_target(options).value_or(found);
  schema_.target = target_;
  if (target_ == Target::kNone) return;
  names_ = options.as ? static_cast<int>(options.as->targets.size()) : guess.names(target_);
  schema_.targets = {keys_.answer};
  if (names_ > 1) schema_.targets = numbered(keys_.answer, names_);
}

bool JsonlReader::next(Sequence& sequence) {
  do {
    if (!read_line(kLongestObject)) return false;
  } while (trimmed(line_).empty());
  ++records_;
  sequence.clear();
  sequence.line = source_->line_number();
  parser_.parse(line_, record_);
  sequence.id = record_.id;
  if (sequence.id.empty()) sequence.set_number(records_);
  read_sequence(sequence);
  if (target_ != Target::kNone) read_answers(sequence);
  return true;
}

void JsonlReader::read_sequence(Sequence& sequence) {
  if (record_.kind == Kind::kNumbers && record_.width == 0) return;  // an empty list fits any kind
  if (!kind_) {
    kind_ = record_.kind;
    width_ = record_.width;
  }
  if (record_.kind != *kind_) {
    refuse(record_.at, description(record_.kind),
           fmt::format("{}, as on earlier lines", description(*kind_)));
  }
  switch (*kind_) {
    case Kind::kNumbers:
      if (record_.width != width_) {
        refuse(record_.at, "steps of " + counted(record_.width, "number"),
               fmt::format("{}, as on earlier lines", width_));
      }
      sequence.steps = static_cast<int>(record_.numbers.size()) / width_;
      sequence.x.swap(record_.numbers);
      if (record_.missing != nullptr) {
        sequence.missing = source_->place_of(line_, record_.missing);
      }
      return;
    case Kind::kLetters:
      return symbols_.append(record_.letters, sequence);
    case Kind::kWords:
      sequence.steps = static_cast<int>(record_.words.size());
      sequence.symbols.swap(record_.words);
  }
}

void JsonlReader::check_answers(int steps) const {
  const int count = static_cast<int>(record_.answers.size()), rows = record_.answer_rows();
  const auto refuse_list = [&](std::string_view expected) {
    refuse(record_.answer_at,
           rows == count
               ? fmt::format("a list of length {}", count)
               : fmt::format("{} of length {}", counted(rows, "list"), record_.answer_width),
           expected);
  };
  const bool every_step = is_per_step(target_);
  const bool lists = target_ == Target::kNumbersPerStep && names_ > 1;  // nested
  if (every_step && (rows != steps || (rows > 0 && record_.answer_width != names_))) {
    refuse_list(lists ? fmt::format("{} of length {}, one per step", counted(steps, "list"), names_)
                      : fmt::format("length {}, one target per step", steps));
  }
  if (!lists && rows != count) refuse_list("no nested lists");
  if (target_ == Target::kClass && record_.list) refuse_list("a single target");
  if (target_ == Target::kNumbers && count > int{kMostFeatures}) {
    refuse_list(fmt::format("at most {} numbers", in_thousands(kMostFeatures)));
  }
  if (target_ == Target::kNumbers && count != names_) {
    refuse_list(names_ == 1 ? "a single target" : fmt::format("{} numbers", names_));
  }
}

void JsonlReader::read_answers(Sequence& sequence) {
  if (!record_.answered) {
    if (optional_answers_) return;
    const std::string key = io::quote(keys_.answer);
    refuse(line_.data(), fmt::format("an object without {}", key),
           fmt::format("{} in every object; --target names another key", key));
  }
  check_answers(sequence.steps);
  const bool numbers = is_of_numbers(target_);
  for (const JsonScalar& answer : record_.answers) {
    const bool missing = answer.kind == JsonScalar::Kind::kMissing;
    if (numbers ? answer.kind == JsonScalar::Kind::kWord : missing) {
      refuse(answer.at, io::quote(answer.text), numbers ? "a number" : "a label");
    }
    if (numbers) {
      sequence.values.push_back(answer.number);
    } else {
      sequence.labels.push_back(vocabulary_->labels.number(answer.text));
    }
  }
}
}  // namespace

std::unique_ptr<Reader> open_jsonl(std::unique_ptr<Source> source, const Options& options,
                                   SharedVocabulary vocabulary) {
  return std::make_unique<JsonlReader>(std::move(source), options, std::move(vocabulary));
}

}  // namespace rwa::formats

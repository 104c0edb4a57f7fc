// src/formats/schema.h: the schema of a file: its format, its features and its targets. It is
// guessed from the beginning of the file; options override every guess.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/time.h"

namespace rwa::formats {

enum class Format {
  kTable,  // CSV, TSV and the like, with any delimiter; UCR's .tsv is a wide table
  kTs,     // UEA and aeon
  kArff,   // Weka, and older UCR and UEA archives
  kTsf,    // Monash forecasting archive
  kJsonl,  // a JSON object per line
  kFasta,
  kFastq,
  kText,  // a sequence per line, optionally after __label__x
  kNpy,
  kNpz,
  kIdx,
};

enum class Layout {
  kLong,  // table with a row per step
  kWide,  // table with a row per sequence
  kNtc,   // array of [sequence, step, feature]
  kNct,   // aeon's
  kTnc,   // PyTorch's
};

// The kind of training target.
enum class Target {
  kNone,  // forecast the next step
  kClass,
  kLabels,  // multi-label
  kNumbers,
  kClassPerStep,
  kNumbersPerStep,
};

// What a text is split into.
enum class Tokens {
  kCharacters,  // Unicode code points, or k-mers of them
  kWords,       // and punctuation marks
};

// Targets are numbers, not labels.
constexpr bool is_of_numbers(Target target) {
  return target == Target::kNumbers || target == Target::kNumbersPerStep;
}
// There is a target for every step rather than one for the sequence.
constexpr bool is_per_step(Target target) {
  return target == Target::kClassPerStep || target == Target::kNumbersPerStep;
}

// Names as used on the command line and in files: "table", "long", "ntc". Targets are named after
// their task: "forecast", "class", "labels", "numbers", "class-per-step", "numbers-per-step".
std::string_view to_string(Format format);
std::string_view to_string(Layout layout);
std::string_view to_string(Target target);
std::string_view to_string(Tokens tokens);
Format parse_format(std::string_view name);
Layout parse_layout(std::string_view name);
Target parse_target(std::string_view name);
Tokens parse_tokens(std::string_view name);
inline void from_name(std::string_view name, Format& value) { value = parse_format(name); }
inline void from_name(std::string_view name, Layout& value) { value = parse_layout(name); }
inline void from_name(std::string_view name, Target& value) { value = parse_target(name); }
inline void from_name(std::string_view name, Tokens& value) { value = parse_tokens(name); }

struct Schema {
  Format format = Format::kTable;
  std::optional<Layout> layout = {};  // tables and arrays only
  bool symbols = false;               // steps are symbols, not numbers
  // Names of the features in order; for symbols the name of their column, if any.
  std::vector<std::string> features = {};
  Target target = Target::kNone;
  std::vector<std::string> targets = {};   // names: one, or any number for numeric targets
  std::string id = {}, time = {};          // columns of a table; empty if there are none
  std::string label_from = {};             // see Options
  std::optional<TimeForm> time_form = {};  // of Sequence::times, if there are any
  int horizon = 0;                         // steps to forecast, as the file says; 0: it does not

  friend bool operator==(const Schema&, const Schema&) = default;
};

// What Options::decimal may be.
std::vector<std::string> decimal_marks();

inline constexpr int kMostKmer = 100;  // letters

// Overrides of the guesses.
struct Options {
  std::optional<Format> format = {};
  std::optional<Layout> layout = {};
  std::optional<Target> task = {};
  std::vector<std::string> targets = {};
  std::vector<std::string> features = {};
  std::string id = {}, time = {};
  // Label source for formats without labels: "file" (the file name without extensions), "folder"
  // (the name of its folder), "header" (the last word of a FASTA header) or "header:2" (its second
  // word; blanks, | and __ separate words), or the path of a table with two columns, id and label.
  std::string label_from = {};
  int kmer = 1;  // letters per symbol, overlapping
  Tokens tokens = Tokens::kCharacters;
  bool lower = false;                // texts in lower case
  std::optional<char> decimal = {};  // mark of numbers in tables, '.' or ','
  // The schema of a model: columns are found by these names in any order and format, and others are
  // ignored. Missing features are refused and listed. Missing targets are fine: the sequences then
  // have none.
  std::optional<Schema> as = {};
};

}  // namespace rwa::formats

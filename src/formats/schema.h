// src/formats/schema.h: what a file is taken for: its format, what a step of its sequences is, and
// what they should be answered with. Guessed from the beginning of the file; every guess can be
// overridden by name.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rwa::formats {

enum class Format {
  kTable,  // CSV, TSV and the like: the separator is recognised; UCR's .tsv is one of the wide ones
  kTs,     // UEA and aeon
  kJsonl,  // a JSON object per line
  kFasta,
  kFastq,
  kText,  // a sequence per line, with or without __label__x
  kNpy,
  kNpz,
  kIdx,
};

enum class Layout {
  kLong,  // of a table: a row is a step
  kWide,  // a row is a sequence
  kNtc,   // of an array: case, time, channel
  kNct,   // aeon's
  kTnc,   // PyTorch's
};

// What a sequence should be answered with.
enum class Target {
  kNone,  // then the next step is forecast
  kClass,
  kLabels,  // any number of them
  kNumbers,
  kClassPerStep,
  kNumbersPerStep,
};

// Answers are numbers, not labels.
constexpr bool is_of_numbers(Target target) {
  return target == Target::kNumbers || target == Target::kNumbersPerStep;
}
// Every step has one, not the sequence as a whole.
constexpr bool is_per_step(Target target) {
  return target == Target::kClassPerStep || target == Target::kNumbersPerStep;
}

// Names as they stand on the command line and in files: "table", "long", "ntc"; targets are called
// by the task they make: "forecast", "class", "labels", "numbers", "class-per-step",
// "numbers-per-step".
std::string_view to_string(Format format);
std::string_view to_string(Layout layout);
std::string_view to_string(Target target);
Format parse_format(std::string_view name);
Layout parse_layout(std::string_view name);
Target parse_target(std::string_view name);
inline void from_name(std::string_view name, Format& value) { value = parse_format(name); }
inline void from_name(std::string_view name, Layout& value) { value = parse_layout(name); }
inline void from_name(std::string_view name, Target& value) { value = parse_target(name); }

struct Schema {
  Format format = Format::kTable;
  std::optional<Layout> layout = {};  // of tables and arrays
  bool symbols = false;               // steps are symbols, not numbers
  // Names of the columns of x, in their order; of symbols, the column they stand in, or none.
  std::vector<std::string> features = {};
  Target target = Target::kNone;
  std::vector<std::string> targets = {};  // names: one, or of numbers any
  std::string id = {}, time = {};         // columns of a table, where there are such
  std::string label_from = {};            // see Options

  friend bool operator==(const Schema&, const Schema&) = default;
};

// What is not to be guessed.
struct Options {
  std::optional<Format> format = {};
  std::optional<Layout> layout = {};
  std::optional<Target> task = {};
  std::vector<std::string> targets = {};
  std::vector<std::string> features = {};
  std::string id = {}, time = {};
  // Where the labels of formats without a place for them stand: "file" (the name of the file
  // without its endings), "folder" (that of the folder it lies in), "header" (the last word of a
  // FASTA header; "header:2" its second, words being separated by blanks, | or __), or the path of
  // a table with two columns, id and label.
  std::string label_from = {};
  int kmer = 1;  // letters of a text that are one symbol, overlapping
  // As a model knows it: columns are found by these names, whatever their order and format; others
  // are not looked at. What is missing is refused with the difference, but for the targets: where
  // they are missing the sequences have none.
  std::optional<Schema> as = {};
};

}  // namespace rwa::formats

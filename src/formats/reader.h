// src/formats/reader.h: reads the sequences of a data set one by one, in the order of its files.
// Memory use is that of the longest sequence, and each file is read once, so a pipe works too.
//
// A malformed file is refused with InputError:
//   vowels.csv:12:5: found "abc", expected a number
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "formats/schema.h"
#include "formats/sequence.h"

namespace rwa::formats {

// What was found out about the data, for the user.
struct Findings {
  struct Column {
    std::string name, role, why;
  };
  std::vector<Column> columns = {};        // every column of a table, in order
  std::string task = {};                   // why the task is what it is
  std::vector<std::string> warnings = {};  // guesses that little in the file supports
};

class Reader {
 public:
  virtual ~Reader() = default;
  // Known after opening. With Options::as it is the model's, except for format and layout.
  [[nodiscard]] const Schema& schema() const { return schema_; }
  // Known after opening; of the first file.
  [[nodiscard]] const Findings& findings() const { return findings_; }
  // The same, to keep: of a wide table they take more memory than its rows.
  [[nodiscard]] Findings take_findings() { return std::move(findings_); }
  // The file that the last sequence came from, for messages.
  [[nodiscard]] virtual const std::string& file() const = 0;
  // Returns false at the end, leaving `sequence` unspecified. Throws InputError, or ResourceError
  // if a file cannot be read.
  virtual bool next(Sequence& sequence) = 0;
  // Call after next() has thrown InputError, to go on after the sequence that was refused. Returns
  // false if that is impossible.
  virtual bool skip() { return false; }

 protected:
  Schema schema_;
  Findings findings_;
};

// Opens files, folders, and "-" for standard input.
// - A folder stands for all its files, sorted by name. If it contains only folders, it stands for
//   the files in those, and the label source is "folder". Files that are not data (README, LICENSE,
//   .md, hidden files) are refused, not skipped.
// - Files may be compressed with gzip or zstd. Formats are recognised by content, then by name. All
//   files share one schema.
// - Several files of a format without labels are labelled from "file", unless the options name
//   another source or the task is to forecast.
// - Sequences without an id are numbered within each file. Among several files the name of the file
//   comes first: "monday:1". So it does for an id that an earlier file has too.
//
// Throws ConfigError for a path that does not exist (with the nearest name) and for options that do
// not fit the format, InputError for an unrecognised or malformed file.
std::unique_ptr<Reader> open(std::span<const std::filesystem::path> paths, const Options& options,
                             std::shared_ptr<Vocabulary> vocabulary);

}  // namespace rwa::formats

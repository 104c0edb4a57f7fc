// src/formats/reader.h: the sequences of a data set, one after the other, in the order of its
// files. Takes no more memory than its longest sequence, and goes through each file once: a pipe
// will do.
//
// A file that is not what it should be is refused with InputError:
//   vowels.csv:12:5: found "abc", expected a number
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "formats/schema.h"
#include "formats/sequence.h"

namespace rwa::formats {

class Reader {
 public:
  virtual ~Reader() = default;
  // Known from the beginning. With Options::as it is the model's, but for the format and the
  // layout.
  [[nodiscard]] const Schema& schema() const { return schema_; }
  // The file that the last sequence came from, for messages.
  [[nodiscard]] virtual const std::string& file() const = 0;
  // False at the end, and then `sequence` is of no use. Throws InputError, and ResourceError where
  // a file cannot be read.
  virtual bool next(Sequence& sequence) = 0;

 protected:
  Schema schema_;
};

// Files, "-" for the standard input, and folders: of a folder all files, in the order of their
// names; where nothing but folders lies in it, all files in these, and "folder" is where labels
// come from. What is no data (README, LICENSE, .md, hidden files) is refused, not left out. Files
// may be packed with gzip or zstd, and are recognised by their content, then by their name. All
// have one schema. Where several files of a format without labels are given and nothing is said
// about labels, they come from "file"; to forecast, none do. Sequences without an id are numbered
// in each file.
//
// Throws ConfigError for a path that does not exist (with the nearest name) and options that do not
// fit the format, InputError for a file that is not recognised or not right.
std::unique_ptr<Reader> open(std::span<const std::filesystem::path> paths, const Options& options,
                             std::shared_ptr<Vocabulary> vocabulary);

}  // namespace rwa::formats

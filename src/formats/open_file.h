// src/formats/open_file.h: one file of a data set, with its labels, wherever they come from.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "formats/folder.h"
#include "formats/formats.h"
#include "formats/labels.h"

namespace rwa::formats {

class FileOpener {
 public:
  // Throws as open() does.
  FileOpener(Options options, Shared vocabulary, const DataFiles& files);

  std::unique_ptr<Reader> open(const std::filesystem::path& file) const;
  // What answers are, once a file has told: no other file guesses that again.
  void expect(Target target);

 private:
  // Whether labels of this file come from its name, or nothing is said about them.
  [[nodiscard]] std::string labels_of(Source& source, Format format) const;
  std::unique_ptr<Reader> add_labels(std::unique_ptr<Reader> reader,
                                     const std::filesystem::path& file,
                                     const std::string& from) const;

  Options options_;
  Shared vocabulary_;
  bool several_;      // files
  std::string from_;  // where labels come from; empty where nothing is said about it
  std::shared_ptr<const LabelTable> table_;
};

}  // namespace rwa::formats

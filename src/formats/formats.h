// src/formats/formats.h: the reader of each format, in the .cc file of its name. Reader and open()
// say what holds for all. Each guesses the rest of its schema from the beginning of the source.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "formats/reader.h"
#include "formats/source.h"

namespace rwa::formats {

using SharedVocabulary = std::shared_ptr<Vocabulary>;

// What readers of one source have in common.
class SourceReader : public Reader {
 public:
  SourceReader(std::unique_ptr<Source> source, SharedVocabulary vocabulary)
      : source_(std::move(source)), vocabulary_(std::move(vocabulary)) {}
  [[nodiscard]] const std::string& file() const override { return source_->name(); }

 protected:
  std::unique_ptr<Source> source_;
  SharedVocabulary vocabulary_;
};

// And those that go from line to line.
class LineReader : public SourceReader {
 public:
  using SourceReader::SourceReader;

 protected:
  // What stands at a place of the line.
  [[noreturn]] void refuse(const char* at, std::string_view found,
                           std::string_view expected) const {
    source_->refuse(line_, at, found, expected);
  }

  std::string_view line_;  // the last one
};

std::unique_ptr<Reader> open_table(std::unique_ptr<Source>, const Options&, SharedVocabulary);
std::unique_ptr<Reader> open_ts(std::unique_ptr<Source>, const Options&, SharedVocabulary);
std::unique_ptr<Reader> open_jsonl(std::unique_ptr<Source>, const Options&, SharedVocabulary);
// One sequence per record, or per line. Labels that come from elsewhere are put in by open().
std::unique_ptr<Reader> open_fasta(std::unique_ptr<Source>, const Options&,
                                   SharedVocabulary);  // and FASTQ
std::unique_ptr<Reader> open_text(std::unique_ptr<Source>, const Options&, SharedVocabulary);
// Arrays. Of an .npz: x, and y, lengths or offsets where there are such. Of an .npy and of IDX: the
// labels lie in the file beside it whose name says so (x.npy, y.npy; …-images-idx3-ubyte,
// …-labels-idx1-ubyte), where there is one. Pixels of IDX are divided by 255.
std::unique_ptr<Reader> open_npy(std::unique_ptr<Source>, const Options&, SharedVocabulary);
std::unique_ptr<Reader> open_npz(std::unique_ptr<Source>, const Options&, SharedVocabulary);
std::unique_ptr<Reader> open_idx(std::unique_ptr<Source>, const Options&, SharedVocabulary);

}  // namespace rwa::formats

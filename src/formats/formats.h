// src/formats/formats.h: opens the reader of each format, implemented in the .cc file of that name.
// See Reader and open() for the common contract. Each reader guesses what the options leave open
// from the beginning of the source.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "formats/reader.h"
#include "formats/source.h"

namespace rwa::formats {

using SharedVocabulary = std::shared_ptr<Vocabulary>;

// Limited, since feature names take memory before any number is read.
inline constexpr std::size_t kMostFeatures = 1 << 16;

// Base of readers of one source.
class SourceReader : public Reader {
 public:
  SourceReader(std::unique_ptr<Source> source, SharedVocabulary vocabulary)
      : source_(std::move(source)), vocabulary_(std::move(vocabulary)) {}
  [[nodiscard]] const std::string& file() const override { return source_->name(); }

 protected:
  std::unique_ptr<Source> source_;
  SharedVocabulary vocabulary_;
};

// Base of readers that go line by line.
class LineReader : public SourceReader {
 public:
  using SourceReader::SourceReader;
  bool skip() override { return is_read_; }

 protected:
  // Goes to the next line. Returns false at the end of the file.
  bool read_line(const Source::Longest& longest = Source::kLongestLine) {
    is_read_ = false;
    is_read_ = source_->line(line_, longest);
    return is_read_;
  }
  // The same for a part of a line, see Source.
  bool read_part_of_line(std::size_t most) {
    is_read_ = false;
    is_read_ = source_->part_of_line(line_, most);
    return is_read_;
  }
  // Throws InputError about position `at` of the line.
  [[noreturn]] void refuse(const char* at, std::string_view found,
                           std::string_view expected) const {
    source_->refuse(line_, at, found, expected);
  }

  std::string_view line_;  // the current line, or part of one

 private:
  bool is_read_ = false;  // the current line, and not refused by the source
};

std::unique_ptr<Reader> open_table(std::unique_ptr<Source>, const Options&, SharedVocabulary);
std::unique_ptr<Reader> open_ts(std::unique_ptr<Source>, const Options&, SharedVocabulary);
std::unique_ptr<Reader> open_arff(std::unique_ptr<Source>, const Options&, SharedVocabulary);
std::unique_ptr<Reader> open_tsf(std::unique_ptr<Source>, const Options&, SharedVocabulary);
std::unique_ptr<Reader> open_jsonl(std::unique_ptr<Source>, const Options&, SharedVocabulary);
// One sequence per record or line. open() adds labels that are stored elsewhere.
std::unique_ptr<Reader> open_fasta(std::unique_ptr<Source>, const Options&,
                                   SharedVocabulary);  // and FASTQ
std::unique_ptr<Reader> open_text(std::unique_ptr<Source>, const Options&, SharedVocabulary);
// Arrays. An .npz has x and optionally y, lengths or offsets. For .npy and IDX, labels are read
// from the file of matching name next to it, if there is one (x.npy, y.npy; …-images-idx3-ubyte,
// …-labels-idx1-ubyte). IDX pixels are divided by 255.
std::unique_ptr<Reader> open_npy(std::unique_ptr<Source>, const Options&, SharedVocabulary);
std::unique_ptr<Reader> open_npz(std::unique_ptr<Source>, const Options&, SharedVocabulary);
std::unique_ptr<Reader> open_idx(std::unique_ptr<Source>, const Options&, SharedVocabulary);

}  // namespace rwa::formats

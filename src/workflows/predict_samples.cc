#include "workflows/predict_samples.h"

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "datasets/encoding.h"
#include "formats/reader.h"
#include "io/quote.h"
#include "rwa/errors.h"

namespace rwa::workflows {
namespace {

class ReadSamples {
 public:
  ReadSamples(const datasets::Encoding& encoding, std::unique_ptr<formats::Reader> reader,
              std::shared_ptr<formats::Vocabulary> words, bool answered)
      : encoding_(encoding),
        answered_(answered),
        words_(std::move(words)),
        reader_(std::move(reader)),
        encoder_(encoding, *words_) {}

  bool next(Sample& sample) {
    if (encoding_.window == 0) {
      sample.from = 0;
      return read_next(sample.sequence);
    }
    while (piece_ == pieces_.size()) {
      if (!read_next(whole_)) return false;
      // What is said about a step is wanted once; a score wants to know what came after the last.
      const bool scored_forecast = answered_ && encoding_.schema.target == formats::Target::kNone;
      pieces_ = datasets::pieces(whole_.steps, encoding_.window, encoding_.stride, scored_forecast);
      piece_ = 0;
    }
    const datasets::Piece piece = pieces_[piece_++];
    datasets::cut(whole_, piece, encoding_.answers_every_step(), sample.sequence);
    sample.from = piece.begin + 1;
    return true;
  }

 private:
  bool read_next(formats::Sequence& sequence) {
    if (!reader_->next(sequence)) return false;
    if (answered_ && !datasets::has_answer(encoding_.schema, sequence)) refuse(sequence);
    encoder_.encode(sequence, reader_->file(), answered_);
    return true;
  }

  [[noreturn]] void refuse(const formats::Sequence& sequence) const {
    const auto& targets = encoding_.schema.targets;
    throw InputError(fmt::format(
        "{}:{}: found a sequence without an answer, expected {}, to compare the model's with",
        reader_->file(), sequence.line,
        targets.empty() ? "its label" : io::escape(fmt::format("{}", fmt::join(targets, ", ")))));
  }

  const datasets::Encoding& encoding_;
  const bool answered_;
  std::shared_ptr<formats::Vocabulary> words_;
  std::unique_ptr<formats::Reader> reader_;
  datasets::Encoder encoder_;
  // Where sequences are cut: the one that is being cut, and the next piece of it.
  formats::Sequence whole_;
  std::vector<datasets::Piece> pieces_;
  std::size_t piece_ = 0;
};

}  // namespace

Samples open_samples(const datasets::Encoding& encoding,
                     std::span<const std::filesystem::path> paths, bool answered) {
  auto words = std::make_shared<formats::Vocabulary>();
  auto reader = formats::open(paths, encoding.options(), words);
  return samples_of(encoding, std::move(reader), std::move(words), answered);
}

Samples samples_of(const datasets::Encoding& encoding, std::unique_ptr<formats::Reader> reader,
                   std::shared_ptr<formats::Vocabulary> words, bool answered) {
  auto samples =
      std::make_shared<ReadSamples>(encoding, std::move(reader), std::move(words), answered);
  return [samples](Sample& sample) { return samples->next(sample); };
}

Samples samples_of(const datasets::Files& files, datasets::Split split) {
  return [&files, split, number = std::int64_t{0}](Sample& sample) mutable {
    if (number == files.size(split)) return false;
    files.sample(split, number++, sample.sequence);
    return true;
  };
}

}  // namespace rwa::workflows

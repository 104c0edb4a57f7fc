// src/datasets/files_ranks.cc: files for ranks that train together. Only rank 0 reads them and
// streams the sequences to the others: there is one standard input, other machines may not see the
// files, and errors are reported once. The other ranks treat the sequences as if they had read
// them: each has the split, encoding, checksum and memory limit of a single process.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "comm/ranks.h"
#include "datasets/files_read.h"
#include "datasets/store.h"

namespace rwa::datasets {
namespace {
namespace fs = std::filesystem;

// The kinds of items sent, each with its size and bytes. All but sequences are text.
enum class Kind : std::uint8_t {
  // The schema; kLayout only if there is a layout.
  kFormat,
  kLayout,
  kIsOfSymbols,
  kFeature,
  kTarget,
  kTargetName,
  kId,
  kTime,
  kLabelFrom,
  kTimeForm,  // only if there is one
  kHorizon,   // the same
  // A file name, before the file's first sequence. The first one ends the schema.
  kFile,
  // A new word of the vocabulary, before the sequence that contains it.
  kSymbol,
  kLabel,
  kSequence,
  kEnd,
};

// Items are collected into messages of about this size.
constexpr std::size_t kPieceBytes = std::size_t{1} << 18;

class Sender final : public formats::Reader {
 public:
  // Counts the words before opening: words that opening adds must be sent too.
  Sender(Link* link, const std::vector<fs::path>& paths, const formats::Options& options,
         std::shared_ptr<formats::Vocabulary> vocabulary)
      : ranks_(link),
        vocabulary_(std::move(vocabulary)),
        symbols_sent_(vocabulary_->symbols.words().size()),
        labels_sent_(vocabulary_->labels.words().size()),
        reader_(formats::open(paths, options, vocabulary_)) {
    schema_ = reader_->schema();
    findings_ = reader_->findings();
    put_schema();
    put_file();
  }

  [[nodiscard]] const std::string& file() const override { return reader_->file(); }

  bool next(formats::Sequence& sequence) override {
    if (piece_.size() >= kPieceBytes) send();
    const bool found = reader_->next(sequence);
    put_new(Kind::kSymbol, vocabulary_->symbols, symbols_sent_);
    put_new(Kind::kLabel, vocabulary_->labels, labels_sent_);
    if (found) {
      if (file_ != reader_->file()) put_file();
      pack(sequence, record_);
      put(Kind::kSequence, {reinterpret_cast<const char*>(record_.data()), record_.size()});
    } else {
      put(Kind::kEnd, "");
      send();
    }
    return found;
  }

 private:
  void put_schema() {
    put(Kind::kFormat, to_string(schema_.format));
    if (schema_.layout) put(Kind::kLayout, to_string(*schema_.layout));
    if (schema_.symbols) put(Kind::kIsOfSymbols, "");
    for (const std::string& name : schema_.features) put(Kind::kFeature, name);
    put(Kind::kTarget, to_string(schema_.target));
    for (const std::string& name : schema_.targets) put(Kind::kTargetName, name);
    put(Kind::kId, schema_.id);
    put(Kind::kTime, schema_.time);
    put(Kind::kLabelFrom, schema_.label_from);
    if (schema_.time_form) put(Kind::kTimeForm, formats::to_string(*schema_.time_form));
    if (schema_.horizon > 0) put(Kind::kHorizon, std::to_string(schema_.horizon));
  }
  void put_file() {
    file_ = reader_->file();
    put(Kind::kFile, file_);
  }
  void put_new(Kind kind, const formats::Dictionary& dictionary, std::size_t& sent) {
    for (; sent < dictionary.words().size(); ++sent) put(kind, dictionary.words()[sent]);
  }
  void put(Kind kind, std::string_view bytes) {
    const std::uint64_t size = bytes.size();
    piece_.append(reinterpret_cast<const char*>(&kind), sizeof(kind));
    piece_.append(reinterpret_cast<const char*>(&size), sizeof(size));
    piece_.append(bytes);
  }
  void send() {
    ranks_.broadcast(piece_);
    piece_.clear();
  }

  Ranks ranks_;
  std::shared_ptr<formats::Vocabulary> vocabulary_;
  std::size_t symbols_sent_, labels_sent_;  // words
  std::unique_ptr<formats::Reader> reader_;
  std::string file_;  // the last one sent
  std::string piece_;
  std::vector<std::byte> record_;
};

class Receiver final : public formats::Reader {
 public:
  Receiver(Link* link, std::shared_ptr<formats::Vocabulary> vocabulary)
      : ranks_(link), vocabulary_(std::move(vocabulary)) {
    formats::Sequence none;
    while (take(none) != Kind::kFile) {
    }
  }

  [[nodiscard]] const std::string& file() const override { return file_; }

  bool next(formats::Sequence& sequence) override {
    for (;;) {
      const Kind kind = take(sequence);
      if (kind == Kind::kSequence || kind == Kind::kEnd) return kind == Kind::kSequence;
    }
  }

 private:
  // Takes and stores the next item.
  Kind take(formats::Sequence& sequence) {
    if (at_ == piece_.size()) {
      ranks_.broadcast(piece_);
      at_ = 0;
    }
    Kind kind{};
    std::uint64_t size = 0;
    take_bytes(&kind, sizeof(kind));
    take_bytes(&size, sizeof(size));
    const auto bytes = std::string_view(piece_).substr(at_, size);
    at_ += size;
    if (kind == Kind::kSequence) {
      unpack(std::as_bytes(std::span(bytes)), sequence);
    } else {
      take_text(kind, bytes);
    }
    return kind;
  }
  void take_bytes(void* to, std::size_t size) {
    std::memcpy(to, piece_.data() + at_, size);
    at_ += size;
  }
  void take_text(Kind kind, std::string_view text);

  Ranks ranks_;
  std::shared_ptr<formats::Vocabulary> vocabulary_;
  std::string file_;
  std::string piece_;
  std::size_t at_ = 0;
};

void Receiver::take_text(Kind kind, std::string_view text) {
  switch (kind) {
    case Kind::kFormat:
      schema_.format = formats::parse_format(text);
      break;
    case Kind::kLayout:
      schema_.layout = formats::parse_layout(text);
      break;
    case Kind::kIsOfSymbols:
      schema_.symbols = true;
      break;
    case Kind::kFeature:
      schema_.features.emplace_back(text);
      break;
    case Kind::kTarget:
      schema_.target = formats::parse_target(text);
      break;
    case Kind::kTargetName:
      schema_.targets.emplace_back(text);
      break;
    case Kind::kId:
      schema_.id = text;
      break;
    case Kind::kTime:
      schema_.time = text;
      break;
    case Kind::kLabelFrom:
      schema_.label_from = text;
      break;
    case Kind::kTimeForm:
      schema_.time_form = formats::parse_time_form(text);
      break;
    case Kind::kHorizon:
      schema_.horizon = std::stoi(std::string(text));
      break;
    case Kind::kFile:
      file_ = text;
      break;
    case Kind::kSymbol:
      vocabulary_->symbols.number(text);
      break;
    case Kind::kLabel:
      vocabulary_->labels.number(text);
      break;
    case Kind::kSequence:
    case Kind::kEnd:
      break;
  }
}
}  // namespace

Open open_together(Link* link) {
  return
      [link](const std::vector<fs::path>& paths, const formats::Options& options,
             std::shared_ptr<formats::Vocabulary> vocabulary) -> std::unique_ptr<formats::Reader> {
        const Ranks ranks(link);
        if (ranks.alone()) return formats::open(paths, options, std::move(vocabulary));
        if (ranks.rank() > 0) return std::make_unique<Receiver>(link, std::move(vocabulary));
        return std::make_unique<Sender>(link, paths, options, std::move(vocabulary));
      };
}

}  // namespace rwa::datasets

// src/workflows/stream.h: predicts for sequences that arrive line by line, one or several at a
// time. The answer to a line is the prediction for its sequence so far.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "rwa/model.h"
#include "workflows/encoded_stream.h"
#include "workflows/predictions.h"
#include "workflows/stream_keeper.h"
#include "workflows/stream_lines.h"
#include "workflows/stream_state.h"
#include "workflows/trained.h"

namespace rwa::workflows {

struct StreamOptions {
  bool id = false;    // each line begins with the id of its stream
  bool json = false;  // lines and answers are JSON objects
};

class Streams {
 public:
  // The model must outlive it. Throws ConfigError as Stream does.
  Streams(const Trained& trained, const StreamOptions& options);

  // Returns the answer to the next line: a line, or empty at the end of a sequence. Valid until the
  // next call. Throws InputError for a malformed line, "stdin:3:7: found …, expected …", without
  // changing any stream.
  std::string_view answer(std::string_view line);

  // All unfinished streams.
  [[nodiscard]] const StreamsById& all() const { return streams_; }
  void set_all(StreamsById streams) { streams_ = std::move(streams); }
  [[nodiscard]] std::int64_t lines() const { return lines_; }  // answered so far
  // As LineReader has it.
  [[nodiscard]] const std::vector<std::string>& header() const { return reader_->header(); }
  const std::string* set_header(std::vector<std::string> names) {
    return reader_->set_header(std::move(names));
  }
  // The model, for files with the state of streams.
  [[nodiscard]] StreamModel model() const;

 private:
  void read_and_answer();
  // Runs the steps of the line through its stream; sets y_ to the outputs of the last one.
  void advance(const std::string& id);
  void advance_numbers(OneStream& stream);
  void advance_symbols(OneStream& stream);
  // The number of the symbol that ends with this letter. Throws InputError if it is unknown and the
  // model has no symbol for that.
  [[nodiscard]] std::int32_t symbol_of(std::string_view symbol, const Letter& letter) const;

  const Trained& trained_;
  const OutputDecoder decoder_;
  PredictionFormatter formatter_;
  const bool words_;  // symbols are words, not letters
  std::unique_ptr<LineReader> reader_;
  const formats::Vocabulary no_words_;  // unused: symbols_ looks up symbols
  std::unordered_map<std::string_view, std::int32_t> symbols_;
  const std::string checksum_;  // of the weights
  datasets::Encoder encoder_;
  EncodedStream stream_;
  StreamsById streams_;
  std::int64_t lines_ = 0;
  // For the current line.
  LinePlace place_;
  StreamLine line_;
  std::vector<float> y_;
  std::string answer_;
};

// Answers each line from descriptor `in` on `out` before reading more, until the input ends, and
// lets the keeper save on the way. Returns false if a signal sets `stop` first. Throws what answer()
// and the keeper throw, InputError for a line of more than kLongestLine bytes, and ResourceError.
inline constexpr std::size_t kLongestLine = std::size_t{2} << 20;
bool serve(Streams& streams, int in, int out, const std::atomic<bool>& stop,
           StreamKeeper* keeper = nullptr);

}  // namespace rwa::workflows

// src/workflows/stream.h: predicts for sequences that arrive line by line, one or several at a
// time. The answer to a line is the prediction for its sequence so far.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "rwa/model.h"
#include "workflows/encoded_stream.h"
#include "workflows/predictions.h"
#include "workflows/stream_lines.h"
#include "workflows/trained.h"

namespace rwa::workflows {

struct StreamOptions {
  bool id = false;    // each line begins with the id of its stream
  bool json = false;  // lines and answers are JSON objects
};

// The state of one sequence after its latest step.
struct OneStream {
  std::vector<float> state = {};  // of the network
  std::vector<float> last = {};   // encoded x of the latest step; empty for symbols
  std::string tail = {};          // the latest letters, which begin the next k-mers

  friend bool operator==(const OneStream&, const OneStream&) = default;
};
using StreamsById = std::map<std::string, OneStream, std::less<>>;

class Streams {
 public:
  // The model must outlive it. Throws ConfigError as Stream does.
  Streams(const Trained& trained, const StreamOptions& options);

  // Returns the answer to the next line: a line, or empty at the end of a sequence. Valid until the
  // next call. Throws InputError for a malformed line, "stdin:3:7: found …, expected …", without
  // changing any stream.
  std::string_view answer(std::string_view line);

  // Save and restore all unfinished streams in a safetensors file, which is tied to the weights of
  // the model. save() replaces the file as a whole and throws ResourceError, or InputError if there
  // are too many streams for a file. restore() throws ModelFileError for any other file, and for
  // the file of another model.
  void save(const std::filesystem::path& file) const;
  void restore(const std::filesystem::path& file);

 private:
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
  datasets::Encoder encoder_;
  EncodedStream stream_;
  StreamsById streams_;
  // For the current line.
  LinePlace place_;
  StreamLine line_;
  std::vector<float> y_;
  std::string answer_;
};

// Answers each line from descriptor `in` on `out` before reading more, until the input ends.
// Returns false if a signal sets `stop` first. Throws what answer() throws, and ResourceError.
bool serve(Streams& streams, int in, int out, const std::atomic<bool>& stop);

}  // namespace rwa::workflows

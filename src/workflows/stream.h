// src/workflows/stream.h: sequences that arrive line by line, one or several at a time: the steps
// of a line go through the model, and the answer is the prediction for the sequence so far.
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
  bool id = false;    // lines begin with the id of their stream
  bool json = false;  // lines are objects, and answers too
};

// The state of one sequence after its last step so far.
struct OneStream {
  std::vector<float> state = {};  // of the network
  std::vector<float> last = {};   // encoded x of the last step; empty for symbols
  std::string tail = {};          // the last letters, which begin the next k-mers

  friend bool operator==(const OneStream&, const OneStream&) = default;
};
using StreamsById = std::map<std::string, OneStream, std::less<>>;

class Streams {
 public:
  // The model must outlive it. Throws ConfigError as Stream does.
  Streams(const Trained& trained, const StreamOptions& options);

  // Returns the answer to the next line: a line, or nothing at the end of a sequence. Valid until
  // the next call. Throws InputError for a wrong line, "stdin:3:7: found …, expected …", without
  // changing any stream.
  std::string_view answer(std::string_view line);

  // All streams that have begun, in a safetensors file that belongs to the weights of the model.
  // save() replaces the file as a whole and throws ResourceError, or InputError where there are too
  // many streams for a file; restore() throws ModelFileError for another file, or other weights.
  void save(const std::filesystem::path& file) const;
  void restore(const std::filesystem::path& file);

 private:
  // Runs the steps of the line through its stream; y_ has the outputs of the last one.
  void advance(const std::string& id);
  void advance_numbers(OneStream& stream);
  void advance_symbols(OneStream& stream);
  // The number of the symbol that ends with this letter. Throws InputError for an unknown one.
  [[nodiscard]] std::int32_t symbol_of(std::string_view symbol, const Letter& letter) const;

  const Trained& trained_;
  const OutputDecoder decoder_;
  PredictionFormatter formatter_;
  const bool words_;  // symbols are words, not letters
  std::unique_ptr<LineReader> reader_;
  const formats::Vocabulary no_words_;  // symbols are looked up in:
  std::unordered_map<std::string_view, std::int32_t> symbols_;
  datasets::Encoder encoder_;
  EncodedStream stream_;
  StreamsById streams_;
  // Of the current line.
  LinePlace place_;
  StreamLine line_;
  std::vector<float> y_;
  std::string answer_;
};

// Answers each line from descriptor `in` on `out` before it reads more, until the input ends.
// Returns false if a signal has set `stop` before. Throws what answer() does, and ResourceError.
bool serve(Streams& streams, int in, int out, const std::atomic<bool>& stop);

}  // namespace rwa::workflows

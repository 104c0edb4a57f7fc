// src/workflows/stream.h: sequences that come line by line, one or several at a time: the steps of a line
// go through the model, and the answer is what it says of the sequence as far as it has come.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "rwa/model.h"
#include "workflows/answers_text.h"
#include "workflows/steps.h"
#include "workflows/stream_line.h"
#include "workflows/stream_state.h"
#include "workflows/trained.h"

namespace rwa::workflows {

struct StreamOptions {
  bool id = false;    // lines begin with the id of their stream
  bool json = false;  // lines are objects, and answers too
};

class Streams {
 public:
  // The model must outlive it. Throws ConfigError as Stream does.
  Streams(const Trained& trained, const StreamOptions& options);

  // What is to be answered to the next line: a line, or, where a sequence ends, nothing. Valid
  // until the next call. Throws InputError for a line that is not right, "stdin:3:7: found …,
  // expected …", and has changed no stream then.
  std::string_view answer(std::string_view line);

  // All that have begun; and those of a file instead of them (stream_state.h).
  void save(const std::filesystem::path& file) const;
  void restore(const std::filesystem::path& file);

 private:
  // Takes the line's steps into its stream, and leaves the outputs of the last in y_.
  void take(const std::string& id);
  void take_numbers(OneStream& stream);
  void take_symbols(OneStream& stream);
  // The number of the symbol that ends with this letter; throws InputError where there is none.
  [[nodiscard]] std::int32_t symbol_of(std::string_view symbol, const Letter& letter) const;

  const Trained& trained_;
  const Answers answers_;
  AnswersText text_;
  const bool words_;  // symbols are words, not letters
  std::unique_ptr<LineReader> reader_;
  const formats::Vocabulary no_words_;  // symbols are looked up here:
  std::unordered_map<std::string_view, std::int32_t> symbols_;
  datasets::Encoder encoder_;
  Steps stream_;
  StreamsById streams_;
  // Of the line that is answered.
  LinePlace place_;
  StreamLine line_;
  std::vector<float> y_;
  std::string answer_;
};

}  // namespace rwa::workflows

// src/formats/text_symbols.h: the letters of a text as the symbols of a sequence.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>

#include "formats/sequence.h"

namespace rwa::formats {

// Returns the first invalid byte of a UTF-8 text; nullptr if it is valid.
const char* not_utf8(std::string_view text);

// Returns the character at a position, for messages; a single byte if it is invalid.
std::string_view character_at(std::string_view text, const char* at);

// A symbol is a letter (a Unicode code point) or `kmer` consecutive letters; k-mers overlap, each
// starting one letter after the previous one. A text of fewer letters is one symbol.
class TextSymbols {
 public:
  // Throws ConfigError if kmer is less than 1.
  TextSymbols(std::shared_ptr<Vocabulary> vocabulary, int kmer);

  // Appends the symbols of a valid UTF-8 text and counts its steps.
  void append(std::string_view text, Sequence& sequence);

 private:
  std::int32_t number(std::string_view symbol);

  std::shared_ptr<Vocabulary> vocabulary_;
  std::size_t kmer_;
  std::array<std::int32_t, 128> ascii_;  // cached numbers of single letters; -1: unknown
};

}  // namespace rwa::formats

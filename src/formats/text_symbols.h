// src/formats/text_symbols.h: the letters of a text as the symbols of a sequence.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>

#include "formats/sequence.h"

namespace rwa::formats {

// Where a text stops to be UTF-8; nullptr where all of it is.
const char* not_utf8(std::string_view text);

// The whole character that stands at a place in a text, for a message; a byte where it is none.
std::string_view character_at(std::string_view text, const char* at);

// A symbol is a letter (a code point of Unicode), or `kmer` of them, each such group beginning one
// letter after the one before. A text with fewer letters than that is one symbol.
class TextSymbols {
 public:
  // Throws ConfigError for a kmer of less than 1.
  TextSymbols(std::shared_ptr<Vocabulary> vocabulary, int kmer);

  // Appends those of a text, which is UTF-8, and its steps.
  void append(std::string_view text, Sequence& sequence);

 private:
  std::int32_t number(std::string_view symbol);

  std::shared_ptr<Vocabulary> vocabulary_;
  std::size_t kmer_;
  std::array<std::int32_t, 128> ascii_;  // numbers of single letters, once they are known; else -1
};

}  // namespace rwa::formats

// src/formats/text_symbols.h: the letters or words of a text as the symbols of a sequence.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "formats/schema.h"
#include "formats/sequence.h"

namespace rwa::formats {

// Returns the first invalid byte of a UTF-8 text; nullptr if it is valid.
const char* not_utf8(std::string_view text);

// What was found and expected where a text is not UTF-8, for messages: "the byte 0xff".
std::string byte_in_words(char byte);
inline constexpr std::string_view kUtf8 = "UTF-8 text: convert the file, such as with iconv";

// Returns the character at a position, for messages; a single byte if it is invalid.
std::string_view character_at(std::string_view text, const char* at);

// Takes the next word or mark off a valid UTF-8 text, with the blanks before it. Empty at the end. A
// word is a run of letters and digits, with apostrophes between them. Any other character that is
// not blank is a mark, alone. Characters outside ASCII are letters, except for common punctuation,
// blanks, signs and emoji.
std::string_view take_word(std::string_view& text);

// Returns the option that only texts can follow: "--kmer 3", "--tokens words", "--lower". Empty if
// there is none.
std::string text_option(const Options& options);

// A symbol is a word (see take_word()), a letter (a Unicode code point) or `kmer` consecutive
// letters; k-mers overlap, each starting one letter after the previous one. A text of fewer letters
// is one symbol.
class TextSymbols {
 public:
  // Throws ConfigError if kmer is less than 1, or if it is for words.
  TextSymbols(std::shared_ptr<Vocabulary> vocabulary, const Options& options);

  // Appends the symbols of a valid UTF-8 text and counts its steps.
  void append(std::string_view text, Sequence& sequence);

 private:
  void append_letters(std::string_view text, Sequence& sequence);
  void append_symbol(std::string_view symbol, Sequence& sequence);

  std::shared_ptr<Vocabulary> vocabulary_;
  std::size_t kmer_;
  Tokens tokens_;
  bool lower_;
  std::array<std::int32_t, 128> ascii_;  // cached numbers of single letters; -1: unknown
};

}  // namespace rwa::formats

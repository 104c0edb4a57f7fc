#include "formats/text_symbols.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "formats/lower_case.h"
#include "rwa/errors.h"

namespace rwa::formats {
namespace {
unsigned byte_at(std::string_view text, std::size_t i) {
  return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
}

// Length in bytes of the first character; 0 if it is invalid. The ranges of the second byte (table
// 3-7 of the Unicode standard) exclude overlong forms, surrogates, and values above U+10FFFF.
std::size_t character(std::string_view text) {
  const unsigned first = byte_at(text, 0), second = byte_at(text, 1);
  if (first < 0x80) return 1;
  if (first < 0xC2 || first > 0xF4) return 0;
  const unsigned least = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
  const unsigned most = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
  if (second < least || second > most) return 0;
  const std::size_t bytes = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  for (std::size_t i = 2; i < bytes; ++i) {
    if ((byte_at(text, i) & 0xC0) != 0x80) return 0;
  }
  return bytes;
}

// Position of the letter after the one at `i`, or the end of the text.
std::size_t next_letter(std::string_view text, std::size_t i) {
  ++i;
  while ((byte_at(text, i) & 0xC0) == 0x80) ++i;
  return i;
}

enum class Kind { kLetter, kApostrophe, kBlank, kMark };

// Characters outside ASCII that are not letters, in order.
struct Range {
  char32_t first, last;
  Kind kind;
};
constexpr std::array<Range, 29> kNoLetters{{
    {0x80, 0xA0, Kind::kBlank},      {0xA1, 0xA9, Kind::kMark},
    {0xAB, 0xB4, Kind::kMark},       {0xB6, 0xB9, Kind::kMark},
    {0xBB, 0xBF, Kind::kMark},       {0xD7, 0xD7, Kind::kMark},
    {0xF7, 0xF7, Kind::kMark},       {0x589, 0x58A, Kind::kMark},
    {0x60C, 0x60D, Kind::kMark},     {0x61B, 0x61F, Kind::kMark},
    {0x964, 0x965, Kind::kMark},     {0x1680, 0x1680, Kind::kBlank},
    {0x2000, 0x200B, Kind::kBlank},  {0x200E, 0x200F, Kind::kBlank},
    {0x2010, 0x2018, Kind::kMark},   {0x2019, 0x2019, Kind::kApostrophe},
    {0x201A, 0x2027, Kind::kMark},   {0x2028, 0x202F, Kind::kBlank},
    {0x2030, 0x205E, Kind::kMark},   {0x205F, 0x206F, Kind::kBlank},
    {0x20A0, 0x20CF, Kind::kMark},   {0x2190, 0x2BFF, Kind::kMark},
    {0x3000, 0x3000, Kind::kBlank},  {0x3001, 0x3020, Kind::kMark},
    {0xFEFF, 0xFEFF, Kind::kBlank},  {0xFF01, 0xFF0F, Kind::kMark},
    {0xFF1A, 0xFF20, Kind::kMark},   {0xFF3B, 0xFF40, Kind::kMark},
    {0x1F000, 0x1FAFF, Kind::kMark},
}};

Kind kind_at(std::string_view text, std::size_t i) {
  const char32_t c = code_point(text.substr(i, next_letter(text, i) - i));
  if (c >= 0x80) {
    const auto* const found = std::ranges::lower_bound(kNoLetters, c, {}, &Range::last);
    return found != kNoLetters.end() && c >= found->first ? found->kind : Kind::kLetter;
  }
  if (std::isalnum(static_cast<int>(c)) != 0) return Kind::kLetter;
  if (c == '\'') return Kind::kApostrophe;
  return c <= ' ' || c == 0x7F ? Kind::kBlank : Kind::kMark;
}

// The end of a word whose letters up to `end` are known.
std::size_t end_of_word(std::string_view text, std::size_t end) {
  while (end < text.size()) {
    Kind kind = kind_at(text, end);
    const std::size_t next = next_letter(text, end);
    if (kind == Kind::kApostrophe && next < text.size()) kind = kind_at(text, next);
    if (kind != Kind::kLetter) break;
    end = next;
  }
  return end;
}
}  // namespace

const char* not_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t bytes = character(text);
    if (bytes == 0) return text.data();
    text.remove_prefix(bytes);
  }
  return nullptr;
}

std::string byte_in_words(char byte) {
  return fmt::format("the byte {:#04x}", static_cast<unsigned char>(byte));
}

std::string_view character_at(std::string_view text, const char* at) {
  text.remove_prefix(static_cast<std::size_t>(at - text.data()));
  return text.substr(0, std::max<std::size_t>(character(text), 1));
}

std::string_view take_word(std::string_view& text) {
  while (!text.empty()) {
    const Kind kind = kind_at(text, 0);
    std::size_t end = next_letter(text, 0);
    if (kind == Kind::kLetter) end = end_of_word(text, end);
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(end);
    if (kind != Kind::kBlank) return word;
  }
  return {};
}

std::string text_option(const Options& options) {
  if (options.kmer > 1) return fmt::format("--kmer {}", options.kmer);
  if (options.tokens == Tokens::kWords) return "--tokens words";
  return options.lower ? "--lower" : "";
}

TextSymbols::TextSymbols(std::shared_ptr<Vocabulary> vocabulary, const Options& options)
    : vocabulary_(std::move(vocabulary)),
      kmer_(static_cast<std::size_t>(options.kmer)),
      tokens_(options.tokens),
      lower_(options.lower) {
  if (options.kmer < 1) {
    throw ConfigError(fmt::format("kmer is {}, expected at least 1", options.kmer));
  }
  if (options.kmer > 1 && tokens_ == Tokens::kWords) {
    throw ConfigError(fmt::format(
        "found --kmer {} with --tokens words, expected one of them: k-mers are of characters",
        options.kmer));
  }
  ascii_.fill(-1);
}

void TextSymbols::append(std::string_view text, Sequence& sequence) {
  std::string small;
  if (lower_) text = small = lower_case(text);
  if (tokens_ == Tokens::kCharacters) return append_letters(text, sequence);
  for (std::string_view word; !(word = take_word(text)).empty();) append_symbol(word, sequence);
}

void TextSymbols::append_letters(std::string_view text, Sequence& sequence) {
  if (text.empty()) return;
  // Memory that is reserved and not used costs nothing, a vector that grows twice its size.
  sequence.symbols.reserve(sequence.symbols.size() + text.size());
  std::size_t begin = 0, end = 0;
  for (std::size_t i = 0; i < kmer_ && end < text.size(); ++i) end = next_letter(text, end);
  while (true) {
    append_symbol(text.substr(begin, end - begin), sequence);
    if (end == text.size()) return;
    begin = next_letter(text, begin);
    end = next_letter(text, end);
  }
}

void TextSymbols::append_symbol(std::string_view symbol, Sequence& sequence) {
  const auto first = static_cast<unsigned char>(symbol.front());
  ++sequence.steps;
  if (symbol.size() > 1 || first >= ascii_.size()) {
    sequence.symbols.push_back(vocabulary_->symbols.number(symbol));
    return;
  }
  std::int32_t& known = ascii_[first];
  if (known < 0) known = vocabulary_->symbols.number(symbol);
  sequence.symbols.push_back(known);
}

}  // namespace rwa::formats

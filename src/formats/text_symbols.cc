#include "formats/text_symbols.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

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
}  // namespace

const char* not_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t bytes = character(text);
    if (bytes == 0) return text.data();
    text.remove_prefix(bytes);
  }
  return nullptr;
}

std::string_view character_at(std::string_view text, const char* at) {
  text.remove_prefix(static_cast<std::size_t>(at - text.data()));
  return text.substr(0, std::max<std::size_t>(character(text), 1));
}

TextSymbols::TextSymbols(std::shared_ptr<Vocabulary> vocabulary, int kmer)
    : vocabulary_(std::move(vocabulary)), kmer_(static_cast<std::size_t>(kmer)) {
  if (kmer < 1) throw ConfigError(fmt::format("kmer is {}, expected at least 1", kmer));
  ascii_.fill(-1);
}

std::int32_t TextSymbols::number(std::string_view symbol) {
  const auto first = static_cast<unsigned char>(symbol.front());
  if (symbol.size() > 1 || first >= ascii_.size()) return vocabulary_->symbols.number(symbol);
  std::int32_t& known = ascii_[first];
  if (known < 0) known = vocabulary_->symbols.number(symbol);
  return known;
}

void TextSymbols::append(std::string_view text, Sequence& sequence) {
  if (text.empty()) return;
  std::size_t begin = 0, end = 0;
  for (std::size_t i = 0; i < kmer_ && end < text.size(); ++i) end = next_letter(text, end);
  while (true) {
    sequence.symbols.push_back(number(text.substr(begin, end - begin)));
    ++sequence.steps;
    if (end == text.size()) return;
    begin = next_letter(text, begin);
    end = next_letter(text, end);
  }
}

}  // namespace rwa::formats

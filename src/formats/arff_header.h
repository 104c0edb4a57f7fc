// src/formats/arff_header.h: the attributes of an ARFF file, and its quoted names and values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "formats/headed_lines.h"

namespace rwa::formats {

struct ArffAttribute {
  enum class Type { kNumber, kNominal, kString, kRelation };

  std::string name;
  Type type = Type::kNumber;
  std::set<std::string, std::less<>> values = {};  // of a nominal attribute
  std::size_t width = 0;                           // number of attributes in a relation
  std::int64_t line = 0;
};

// Reads the lines up to @data. Throws InputError for dates, for relations of anything but numbers,
// and for a malformed line.
std::vector<ArffAttribute> read_arff_header(HeadedLines& lines);

// A name or a value, in quotes or not.
struct ArffWord {
  std::string_view text;  // without the quotes, with the escapes
  bool quoted = false;

  [[nodiscard]] std::string content() const;  // with the escapes resolved
};

// Takes a word off a text: up to its closing quote, or else up to one of `ends`, without blanks
// around it. Refuses a quote that is not closed.
ArffWord next_arff_word(const HeadedLines& lines, std::string_view& text, std::string_view ends);

}  // namespace rwa::formats

#include "workflows/stream_line.h"

#include <algorithm>
#include <cctype>
#include <limits>

#include <fmt/format.h>

#include "formats/text_symbols.h"
#include "io/quote.h"
#include "report/text.h"
#include "rwa/errors.h"

namespace rwa::workflows {

void LinePlace::refuse(const char* at, std::string_view found, std::string_view expected) const {
  const auto column = [&] {
    return report::character_count(text.substr(0, static_cast<std::size_t>(at - text.data()))) + 1;
  };
  throw InputError(fmt::format("stdin:{}{}: found {}, expected {}", number,
                               at == nullptr ? "" : fmt::format(":{}", column()), found, expected));
}

bool has_words(const datasets::Encoding& encoding) {
  return std::ranges::any_of(encoding.alphabet, [&](const std::string& symbol) {
    return report::character_count(symbol) > static_cast<std::size_t>(encoding.kmer);
  });
}

void append_letters(std::string_view text, bool in_line, std::vector<Letter>& letters) {
  while (!text.empty()) {
    const std::string_view letter = formats::character_at(text, text.data());
    letters.push_back({std::string(letter), in_line ? letter.data() : nullptr});
    text.remove_prefix(letter.size());
  }
}

std::string as_in_files(std::string_view text, const datasets::Encoding& encoding) {
  std::string letters(text);
  const formats::Format format = encoding.schema.format;
  if (format == formats::Format::kFasta || format == formats::Format::kFastq) {
    for (char& c : letters) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  return letters;
}

float missing_number(const datasets::Encoding& encoding, const std::string& feature,
                     const LinePlace& place, const char* at) {
  if (encoding.missing == datasets::Missing::kRefuse) {
    place.refuse(at, fmt::format("no number for {}", io::quote(feature)), "one");
  }
  return std::numeric_limits<float>::quiet_NaN();
}

}  // namespace rwa::workflows

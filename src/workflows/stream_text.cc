// src/workflows/stream_text.cc: lines of fields, or of letters.
#include <algorithm>
#include <cstddef>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "formats/parse.h"
#include "formats/text_symbols.h"
#include "io/quote.h"
#include "workflows/stream_line.h"

namespace rwa::workflows {
namespace {

// A part of a line, without the quotes it may stand in.
struct Field {
  std::string text;
  const char* at;
};

// From a quote to the next one that is alone; takes both off the text.
Field take_quoted(std::string_view& rest, const LinePlace& place) {
  Field field{"", rest.data()};
  rest.remove_prefix(1);
  while (true) {
    const std::size_t quote = rest.find('"');
    if (quote == rest.npos) place.refuse(field.at, "a quote without an end", "another");
    field.text += rest.substr(0, quote);
    rest.remove_prefix(quote + 1);
    if (!rest.starts_with('"')) return field;
    field.text += '"';
    rest.remove_prefix(1);
  }
}

// The first field, without blanks around it; what follows it begins with a separator.
Field take_field(std::string_view& rest, char separator, const LinePlace& place) {
  const std::string_view blanks = separator == '\t' ? " " : formats::kBlanks;
  rest.remove_prefix(std::min(rest.find_first_not_of(blanks), rest.size()));
  if (rest.starts_with('"')) {
    Field field = take_quoted(rest, place);
    rest.remove_prefix(std::min(rest.find_first_not_of(blanks), rest.size()));
    if (rest.empty() || rest.front() == separator || separator == ' ') return field;
    place.refuse(rest.data(), io::quote(rest), "a separator after the quote");
  }
  const std::string_view text = rest.substr(0, rest.find(separator));
  rest.remove_prefix(text.size());
  return {std::string(formats::trimmed(text)), text.data()};
}

std::vector<Field> split(const LinePlace& place) {
  std::vector<Field> fields;
  std::string_view rest = place.text;
  if (formats::trimmed(rest).empty()) return fields;
  const auto has = [&](char c) { return rest.find(c) != rest.npos; };
  const char separator = has(',') ? ',' : has('\t') ? '\t' : ' ';
  if (separator == ' ') rest = formats::trimmed(rest);
  while (true) {
    fields.push_back(take_field(rest, separator, place));
    if (rest.empty()) return fields;
    if (rest.front() == separator) rest.remove_prefix(1);
  }
}

class TextLines : public LineReader {
 public:
  TextLines(const datasets::Encoding& encoding, bool id)
      : encoding_(encoding), id_(id), words_(has_words(encoding)) {
    for (std::size_t i = 0; i < encoding.schema.features.size(); ++i) columns_.push_back(i);
    width_ = columns_.size();
  }

  void read(const LinePlace& place, StreamLine& line) override {
    if (const char* at = formats::not_utf8(place.text)) {
      place.refuse(at, fmt::format("the byte {:#04x}", static_cast<unsigned char>(*at)),
                   "text in UTF-8");
    }
    line = {};
    if (encoding_.schema.symbols && !words_) {
      read_letters(place, line);
    } else {
      read_fields(place, line);
    }
  }

 private:
  void read_letters(const LinePlace& place, StreamLine& line) const {
    std::string_view text = place.text;
    if (id_) {
      text = formats::trimmed(text);
      if (text.empty()) return;
      line.id = std::string(text.substr(0, text.find_first_of(", \t")));
      text.remove_prefix(std::min(line.id->size() + 1, text.size()));
    }
    append_letters(text, true, line.letters);
    line.kind = line.letters.empty() ? StreamLine::Kind::kEnd : StreamLine::Kind::kSteps;
  }

  void read_fields(const LinePlace& place, StreamLine& line) {
    std::vector<Field> fields = split(place);
    if (id_) {
      if (fields.empty()) return;
      line.id = std::move(fields.front().text);
      fields.erase(fields.begin());
    }
    line.kind = StreamLine::Kind::kSteps;
    if (fields.empty()) {
      line.kind = StreamLine::Kind::kEnd;
    } else if (encoding_.schema.symbols) {
      for (Field& field : fields) line.letters.push_back({std::move(field.text), field.at});
    } else if (place.number == 1 && read_header(fields, place)) {
      line.kind = StreamLine::Kind::kHeader;
    } else {
      read_numbers(fields, place, line);
    }
  }

  // Whether the fields are names: then they say where each feature stands.
  bool read_header(const std::vector<Field>& fields, const LinePlace& place) {
    const auto& features = encoding_.schema.features;
    float number = 0;
    const auto is_name = [&](const Field& field) {
      return formats::parse_number(field.text, number) == formats::Number::kNone &&
             std::ranges::find(features, field.text) != features.end();
    };
    if (std::ranges::none_of(fields, is_name)) return false;
    for (std::size_t i = 0; i < features.size(); ++i) {
      const auto found = std::ranges::find(fields, features[i], &Field::text);
      if (found == fields.end()) {
        place.refuse(nullptr, fmt::format("a header without {}", io::quote(features[i])), names());
      }
      columns_[i] = static_cast<std::size_t>(found - fields.begin());
    }
    width_ = fields.size();
    return true;
  }

  void read_numbers(const std::vector<Field>& fields, const LinePlace& place,
                    StreamLine& line) const {
    if (fields.size() != width_) {
      place.refuse(nullptr,
                   fmt::format("{} number{}", fields.size(), fields.size() == 1 ? "" : "s"),
                   width_ == columns_.size() ? fmt::format("{}: {}", width_, names())
                                             : fmt::format("{}, as in the header", width_));
    }
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const auto& [text, at] = fields[columns_[i]];
      const std::string& name = encoding_.schema.features[i];
      float value = 0;
      const formats::Number found = formats::parse_number(text, value);
      if (found == formats::Number::kMissing) value = missing_number(encoding_, name, place, at);
      if (found == formats::Number::kTooLarge || found == formats::Number::kNone) {
        place.refuse(at, io::quote(text),
                     fmt::format("{} for {}", formats::expected_of(found), io::quote(name)));
      }
      line.x.push_back(value);
    }
  }

  // Of the features, for messages.
  [[nodiscard]] std::string names() const {
    return io::escape(fmt::format("{}", fmt::join(encoding_.schema.features, ", ")));
  }

  const datasets::Encoding& encoding_;
  const bool id_;
  const bool words_;                  // symbols are words, not letters
  std::vector<std::size_t> columns_;  // where each feature stands among the fields
  std::size_t width_;                 // how many fields there are
};

}  // namespace

std::unique_ptr<LineReader> make_text_lines(const datasets::Encoding& encoding, bool id) {
  return std::make_unique<TextLines>(encoding, id);
}

}  // namespace rwa::workflows

#include "workflows/stream_lines.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <new>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <simdjson.h>

#include "formats/parse.h"
#include "formats/text_symbols.h"
#include "io/quote.h"
#include "report/text.h"
#include "rwa/errors.h"
#include "workflows/encoded_stream.h"

namespace rwa::workflows {
namespace {

namespace dom = simdjson::dom;

// Appends the letters of a text, with their places if the text is a part of the line.
void append_letters(std::string_view text, bool in_line, std::vector<Letter>& letters) {
  while (!text.empty()) {
    const std::string_view letter = formats::character_at(text, text.data());
    letters.push_back({letter, in_line ? letter.data() : nullptr});
    text.remove_prefix(letter.size());
  }
}

// The same for words and marks.
void append_words(std::string_view text, bool in_line, std::vector<Letter>& letters) {
  for (std::string_view word; !(word = formats::take_word(text)).empty();) {
    letters.push_back({word, in_line ? word.data() : nullptr});
  }
}

// Returns NaN, or throws if the model refuses missing numbers.
float missing_number(const datasets::Encoding& encoding, const std::string& feature,
                     const LinePlace& place, const char* at) {
  if (encoding.missing == datasets::Missing::kRefuse) {
    place.refuse(at, fmt::format("no number for {}", io::quote(feature)), "one");
  }
  return std::numeric_limits<float>::quiet_NaN();
}

// Splits a line into fields, without quotes and blanks around them.
class FieldSplitter {
 public:
  // Fields that differ from the line, because of quotes, are put into `made`.
  FieldSplitter(const LinePlace& place, std::deque<std::string>& made)
      : place_(place), rest_(place.text), made_(made) {}

  std::vector<Letter> split() {
    std::vector<Letter> fields;
    if (formats::trimmed(rest_).empty()) return fields;
    const auto has = [&](char c) { return rest_.find(c) != rest_.npos; };
    separator_ = has(',') ? ',' : has('\t') ? '\t' : ' ';
    if (separator_ == ' ') rest_ = formats::trimmed(rest_);
    while (true) {
      fields.push_back(take_field());
      if (rest_.empty()) return fields;
      if (rest_.front() == separator_) rest_.remove_prefix(1);
    }
  }

 private:
  // Takes a field; the rest begins with a separator.
  Letter take_field() {
    skip_blanks();
    if (rest_.starts_with('"')) {
      const Letter field = take_quoted();
      skip_blanks();
      if (rest_.empty() || rest_.front() == separator_ || separator_ == ' ') return field;
      place_.refuse(rest_.data(), io::quote(rest_), "a separator after the quote");
    }
    const std::string_view text = rest_.substr(0, rest_.find(separator_));
    rest_.remove_prefix(text.size());
    return {formats::trimmed(text), text.data()};
  }

  void skip_blanks() {
    const std::string_view blanks = separator_ == '\t' ? " " : formats::kBlanks;
    rest_.remove_prefix(std::min(rest_.find_first_not_of(blanks), rest_.size()));
  }

  // Takes a text from its quote to the closing one, where "" is a quote in the text.
  Letter take_quoted() {
    const char* const at = rest_.data();
    std::string& text = made_.emplace_back();
    do {
      rest_.remove_prefix(1);
      const std::size_t quote = rest_.find('"');
      if (quote == rest_.npos) place_.refuse(at, "an unclosed quote", "a closing quote");
      text += rest_.substr(0, quote);
      rest_.remove_prefix(quote + 1);
      if (rest_.starts_with('"')) text += '"';
    } while (rest_.starts_with('"'));
    return {text, at};
  }

  const LinePlace& place_;
  std::string_view rest_;
  char separator_ = ' ';
  std::deque<std::string>& made_;
};

class TextLines : public LineReader {
 public:
  TextLines(const datasets::Encoding& encoding, bool id)
      : encoding_(encoding),
        id_(id),
        of_text_(encoding.tokens == formats::Tokens::kWords),
        words_(has_words(encoding)) {
    for (std::size_t i = 0; i < encoding.schema.features.size(); ++i) columns_.push_back(i);
    width_ = columns_.size();
  }

  void read(const LinePlace& place, StreamLine& line) override {
    line = {};
    if (encoding_.schema.symbols && (of_text_ || !words_)) {
      read_text(place, line);
    } else {
      read_fields(place, line);
    }
  }

  const std::string* set_header(std::vector<std::string> names) override {
    std::vector<std::size_t> columns;
    for (const std::string& feature : encoding_.schema.features) {
      const auto found = std::ranges::find(names, feature);
      if (found == names.end()) return &feature;
      columns.push_back(static_cast<std::size_t>(found - names.begin()));
    }
    columns_ = std::move(columns);
    width_ = names.size();
    return LineReader::set_header(std::move(names));
  }

 private:
  void read_text(const LinePlace& place, StreamLine& line) const {
    std::string_view text = place.text;
    const bool is_header = text.starts_with('>') || text.starts_with('@');
    if (is_header && (encoding_.schema.format == formats::Format::kFasta ||
                      encoding_.schema.format == formats::Format::kFastq)) {
      place.refuse(text.data(), io::quote(text),
                   "only letters, without headers: an empty line ends a sequence");
    }
    if (id_) {
      text = formats::trimmed(text);
      if (text.empty()) return;
      line.id = std::string(text.substr(0, text.find_first_of(", \t")));
      text.remove_prefix(std::min(line.id->size() + 1, text.size()));
    }
    if (of_text_) {
      append_words(text, true, line.letters);
    } else {
      append_letters(text, true, line.letters);
    }
    line.kind = line.letters.empty() ? StreamLine::Kind::kEnd : StreamLine::Kind::kSteps;
  }

  void read_fields(const LinePlace& place, StreamLine& line) {
    std::vector<Letter> fields = FieldSplitter(place, line.made).split();
    if (id_) {
      if (fields.empty()) return;
      line.id = std::string(fields.front().text);
      fields.erase(fields.begin());
    }
    line.kind = StreamLine::Kind::kSteps;
    if (fields.empty()) {
      line.kind = StreamLine::Kind::kEnd;
    } else if (encoding_.schema.symbols) {
      line.letters = std::move(fields);
    } else if (place.number == 1 && read_header(fields, place)) {
      line.kind = StreamLine::Kind::kHeader;
    } else {
      read_numbers(fields, place, line);
    }
  }

  // If the fields are names, reads the order of the features from them and returns true.
  bool read_header(const std::vector<Letter>& fields, const LinePlace& place) {
    const auto& features = encoding_.schema.features;
    float number = 0;
    const auto is_name = [&](const Letter& field) {
      return formats::parse_number(field.text, number) == formats::Number::kNone &&
             std::ranges::find(features, field.text) != features.end();
    };
    if (std::ranges::none_of(fields, is_name)) return false;
    refuse_id(fields, place);
    std::vector<std::string> header;
    for (const Letter& field : fields) header.emplace_back(field.text);
    if (const std::string* lacking = set_header(std::move(header))) {
      place.refuse(nullptr, fmt::format("a header without {}", io::quote(*lacking)), names());
    }
    return true;
  }

  // Sequences would be mixed.
  void refuse_id(const std::vector<Letter>& fields, const LinePlace& place) const {
    const auto found = std::ranges::find(fields, encoding_.schema.id, &Letter::text);
    if (encoding_.schema.id.empty() || found == fields.end()) return;
    place.refuse(found->at, fmt::format("the id column {}", io::quote(found->text)),
                 id_ ? "the id first in each line" : "--id, with the id first in each line");
  }

  void read_numbers(const std::vector<Letter>& fields, const LinePlace& place,
                    StreamLine& line) const {
    if (fields.size() != width_) {
      place.refuse(nullptr, report::counted(static_cast<std::int64_t>(fields.size()), "number"),
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

  // The names of the features, for messages.
  [[nodiscard]] std::string names() const {
    return io::escape(fmt::format("{}", fmt::join(encoding_.schema.features, ", ")));
  }

  const datasets::Encoding& encoding_;
  const bool id_;
  const bool of_text_;                // symbols are the words of a text
  const bool words_;                  // symbols are words, not letters
  std::vector<std::size_t> columns_;  // the field of each feature
  std::size_t width_;                 // the number of fields
};

std::string quoted(const dom::element& element) { return io::quote(simdjson::minify(element)); }

class JsonLines : public LineReader {
 public:
  explicit JsonLines(const datasets::Encoding& encoding)
      : encoding_(encoding), words_(has_words(encoding)) {}

  void read(const LinePlace& place, StreamLine& line) override {
    line = {};
    dom::object object;
    const auto error = parser_.parse(place.text.data(), place.text.size()).get(object);
    if (error == simdjson::MEMALLOC) throw std::bad_alloc();
    if (error != simdjson::SUCCESS) {
      place.refuse(nullptr, io::quote(place.text),
                   fmt::format("a JSON object on one line ({})", simdjson::error_message(error)));
    }
    line.kind = StreamLine::Kind::kEnd;
    for (const auto& [key, value] : object) {
      if (key == "id") {
        line.id = read_id(value, place);
      } else if (key == "x" || key == "text" || key == "seq") {
        if (line.kind == StreamLine::Kind::kSteps) {
          place.refuse(nullptr, fmt::format("{}, a second sequence", io::quote(key)),
                       "one in an object");
        }
        line.kind = StreamLine::Kind::kSteps;
        read_steps(value, place, line);
      }
    }
    const bool ends = line.id && object.size() == 1;
    if (line.kind == StreamLine::Kind::kSteps || ends) return;
    throw InputError(
        fmt::format("stdin:{}: found an object without \"x\", \"text\" or \"seq\"", place.number));
  }

 private:
  static std::string read_id(const dom::element& value, const LinePlace& place) {
    if (value.is<std::string_view>()) return std::string(std::string_view(value));
    if (value.is<std::int64_t>()) return fmt::format("{}", std::int64_t(value));
    place.refuse(nullptr, quoted(value), "a text or a whole number as id");
  }

  void read_steps(const dom::element& value, const LinePlace& place, StreamLine& line) const {
    std::string_view text;
    dom::array list;
    if (value.get(text) == simdjson::SUCCESS && encoding_.schema.symbols) {
      if (encoding_.tokens == formats::Tokens::kWords) {
        append_words(text, false, line.letters);
      } else if (words_) {
        line.letters.push_back({text});
      } else {
        append_letters(text, false, line.letters);
      }
    } else if (value.get(list) != simdjson::SUCCESS) {
      place.refuse(nullptr, quoted(value),
                   encoding_.schema.symbols ? "a text or a list of symbols" : "a list of numbers");
    } else if (encoding_.schema.symbols) {
      for (const dom::element symbol : list) {
        line.letters.push_back({line.made.emplace_back(read_id(symbol, place))});
      }
    } else {
      read_numbers(list, place, line);
    }
    if (line.x.empty() && line.letters.empty()) place.refuse(nullptr, "no step", "at least one");
  }

  // [[1, 2], …] is a list of steps. [1, 2] is one step of several features, or two steps of one.
  void read_numbers(const dom::array& list, const LinePlace& place, StreamLine& line) const {
    const std::size_t features = encoding_.schema.features.size();
    if (features > 1 && list.size() > 0 && !list.at(0).is<dom::array>()) {
      read_step(list, place, line);
      return;
    }
    for (const dom::element step : list) {
      if (step.is<dom::array>()) {
        read_step(dom::array(step), place, line);
      } else if (features == 1) {
        read_number(step, 0, place, line);
      } else {
        place.refuse(nullptr, quoted(step),
                     fmt::format("a step of {} numbers, as a list", features));
      }
    }
  }

  void read_step(const dom::array& step, const LinePlace& place, StreamLine& line) const {
    const std::size_t features = encoding_.schema.features.size();
    if (step.size() != features) {
      place.refuse(nullptr,
                   "a step of " + report::counted(static_cast<std::int64_t>(step.size()), "number"),
                   fmt::format("{}", features));
    }
    std::size_t feature = 0;
    for (const dom::element number : step) read_number(number, feature++, place, line);
  }

  void read_number(const dom::element& element, std::size_t feature, const LinePlace& place,
                   StreamLine& line) const {
    const std::string& name = encoding_.schema.features[feature];
    double number = 0;
    if (element.is_null()) {
      line.x.push_back(missing_number(encoding_, name, place, nullptr));
    } else if (element.get(number) != simdjson::SUCCESS) {
      place.refuse(nullptr, quoted(element), fmt::format("a number for {}", io::quote(name)));
    } else if (std::abs(number) > std::numeric_limits<float>::max()) {
      place.refuse(nullptr, quoted(element), "a number of at most 3.4e38");
    } else {
      line.x.push_back(static_cast<float>(number));
    }
  }

  const datasets::Encoding& encoding_;
  const bool words_;
  dom::parser parser_;
};

}  // namespace

void LinePlace::refuse(const char* at, std::string_view found, std::string_view expected) const {
  const auto column = [&] {
    return report::character_count(text.substr(0, static_cast<std::size_t>(at - text.data()))) + 1;
  };
  throw InputError(fmt::format("stdin:{}{}: found {}, expected {}", number,
                               at == nullptr ? "" : fmt::format(":{}", column()), found, expected));
}

std::unique_ptr<LineReader> make_text_lines(const datasets::Encoding& encoding, bool id) {
  return std::make_unique<TextLines>(encoding, id);
}

std::unique_ptr<LineReader> make_json_lines(const datasets::Encoding& encoding) {
  return std::make_unique<JsonLines>(encoding);
}

}  // namespace rwa::workflows

#include "formats/jsonl_record.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <new>

#include "base/counted.h"
#include "formats/formats.h"
#include "formats/parse.h"
#include "formats/text_symbols.h"
#include "io/quote.h"

namespace rwa::formats {
namespace {

namespace ondemand = simdjson::ondemand;

// Limits, since each of them takes far more memory than its letters in the file.
constexpr std::size_t kMostKeys = 1 << 16;
constexpr std::size_t kMostAnswers = 1 << 19;

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

// Without trailing blanks.
std::string_view token_of(ondemand::value& value) {
  const std::string_view token = value.raw_json_token();
  return token.substr(0, token.find_last_not_of(" \t\n\r") + 1);
}

// NaN is not JSON, but Python writes it.
bool is_missing(std::string_view token) { return token == "null" || token == "NaN"; }

bool begins_number(std::string_view token) {
  return token.front() == '-' || (token.front() >= '0' && token.front() <= '9');
}
}  // namespace

void JsonRecord::clear() {
  id.clear();
  at = nullptr;
  numbers.clear();
  missing = nullptr;
  width = 0;
  words.clear();
  answered = list = false;
  answers.clear();
  answer_width = 0;
}

void JsonParser::parse(std::string_view line, JsonRecord& record) {
  record.clear();
  seen_.clear();
  line_ = line;
  copy_.reserve(line.size() + simdjson::SIMDJSON_PADDING);
  copy_.assign(line);
  ondemand::document document;
  simdjson::error_code error =
      parser_.iterate(copy_.data(), copy_.size(), copy_.capacity()).get(document);
  if (error == simdjson::UTF8_ERROR) {
    const char* at = not_utf8(line);
    refuse(at, byte_in_words(*at), kUtf8);
  }
  if (error != simdjson::SUCCESS) refuse_json(error, line.data());
  try {
    parse_object(document, record);
  } catch (const simdjson::simdjson_error& failure) {
    const char* at = nullptr;
    const bool inside = document.current_location().get(at) == simdjson::SUCCESS;
    refuse_json(failure.error(), inside ? place(at) : line.data() + line.size());
  }
  if (record.at == nullptr) {
    refuse(line.data(), "an object without a sequence",
           keys_.sequence.empty() ? "the key \"x\", \"text\" or \"seq\"; --features names another"
                                  : fmt::format("the key {}", io::quote(keys_.sequence)));
  }
}

void JsonParser::refuse_json(simdjson::error_code error, const char* at) const {
  if (error == simdjson::MEMALLOC) throw std::bad_alloc();
  const std::string_view rest = line_.substr(static_cast<std::size_t>(at - line_.data()));
  refuse(at, rest.empty() ? "the end of the line" : io::quote(rest),
         fmt::format("a JSON object on one line ({})", simdjson::error_message(error)));
}

void JsonParser::parse_object(ondemand::document& document, JsonRecord& record) {
  for (ondemand::field field : document.get_object()) {
    const char* at = field.key().raw() - 1;
    const std::string_view key = field.unescaped_key();
    if (!seen_.insert(key).second) {
      refuse(place(at), fmt::format("the key {} twice", io::quote(key)), "each key once");
    }
    if (seen_.size() > kMostKeys) {
      refuse(place(at), "more than " + counted(kMostKeys, "key"), "fewer in one object");
    }
    const bool named = !keys_.sequence.empty();
    if (key == keys_.id) {
      if (const JsonScalar id = parse_scalar(field.value());
          id.kind != JsonScalar::Kind::kMissing) {
        record.id = id.text;
      }
    } else if (key == keys_.answer) {
      parse_answer(field.value(), record);
    } else if (named ? key == keys_.sequence : key == "x" || key == "text" || key == "seq") {
      if (record.at != nullptr) {
        refuse(place(at), fmt::format("a second sequence {}", io::quote(key)), "one per object");
      }
      parse_sequence(key, field.value(), record);
    }
  }
  const char* at = nullptr;
  if (document.current_location().get(at) == simdjson::SUCCESS) {
    refuse(place(at), io::quote(at), "the end of the line after the object");
  }
}

void JsonParser::parse_sequence(std::string_view key, Value value, JsonRecord& record) {
  const std::string_view token = token_of(value);
  record.at = place(token.data());
  if (token.front() == '"') {
    record.kind = JsonRecord::Kind::kLetters;
    record.letters = value.get_string();
  } else if (token.front() == '[') {
    parse_list(key == "seq", value, record);
  } else {
    refuse(record.at, io::quote(token), "a list or a string");
  }
}

// The first element decides for all. In "seq", numbers are words too.
void JsonParser::parse_list(bool words, Value value, JsonRecord& record) {
  bool first = true;
  for (Value element : value.get_array()) {
    if (first) words = words || token_of(element).front() == '"';
    first = false;
    if (!words) {
      parse_step(element, record);
      continue;
    }
    const JsonScalar word = parse_scalar(element);
    if (word.kind == JsonScalar::Kind::kMissing) {
      refuse(word.at, io::quote(word.text), "a symbol");
    }
    record.words.push_back(symbols_.number(word.text));
  }
  record.kind = words ? JsonRecord::Kind::kWords : JsonRecord::Kind::kNumbers;
}

void JsonParser::parse_step(Value value, JsonRecord& record) {
  const std::string_view token = token_of(value);
  int width = 1;
  if (token.front() == '[') {
    width = 0;
    for (Value number : value.get_array()) {
      add_number(number, "a number", record);
      ++width;
    }
  } else {
    add_number(value, "a number or a list of numbers", record);
  }
  check_width(token, width, record.width);
}

void JsonParser::add_number(Value value, std::string_view expected, JsonRecord& record) const {
  const char* at = place(token_of(value).data());
  record.numbers.push_back(parse_number_at(value, expected));
  if (record.missing == nullptr && std::isnan(record.numbers.back())) record.missing = at;
}

void JsonParser::check_width(std::string_view token, int found, int& width) const {
  if (found > int{kMostFeatures}) {
    refuse(place(token.data()), counted(found, "value"),
           fmt::format("at most {}", in_thousands(kMostFeatures)));
  }
  if (width == 0) width = found;
  if (found == width && found > 0) return;
  refuse(place(token.data()), counted(found, "value"),
         width == 0 ? "at least one" : fmt::format("{}, as in the first element", width));
}

void JsonParser::parse_answer(Value value, JsonRecord& record) {
  const std::string_view token = token_of(value);
  record.answer_at = place(token.data());
  record.list = token.front() == '[';
  if (record.list) {
    for (Value element : value.get_array()) parse_part_of_answer(element, record);
  } else {
    parse_part_of_answer(value, record);
  }
  record.answered = record.list || record.answers.front().kind != JsonScalar::Kind::kMissing;
}

void JsonParser::parse_part_of_answer(Value value, JsonRecord& record) {
  const std::string_view token = token_of(value);
  int width = 1;
  if (token.front() == '[') {
    width = 0;
    for (Value element : value.get_array()) {
      add_answer(element, record);
      ++width;
    }
  } else {
    add_answer(value, record);
  }
  check_width(token, width, record.answer_width);
}

void JsonParser::add_answer(Value value, JsonRecord& record) const {
  if (record.answers.size() == kMostAnswers) {
    refuse(place(token_of(value).data()), "more than " + counted(kMostAnswers, "target"),
           "fewer in one object: save long sequences as .npy");
  }
  record.answers.push_back(parse_scalar(value));
}

JsonScalar JsonParser::parse_scalar(Value value) const {
  const std::string_view token = token_of(value);
  JsonScalar scalar{.text = token, .number = kNaN, .at = place(token.data())};
  if (is_missing(token)) return scalar;
  if (begins_number(token)) {
    scalar.kind = JsonScalar::Kind::kNumber;
    scalar.number = parse_number_at(value, "a number");
    return scalar;
  }
  scalar.kind = JsonScalar::Kind::kWord;
  if (token.front() == '"') {
    scalar.text = value.get_string();
  } else if (token != "true" && token != "false") {
    refuse(scalar.at, io::quote(token), "a string or a number");
  }
  return scalar;
}

float JsonParser::parse_number_at(Value value, std::string_view expected) const {
  const std::string_view token = token_of(value);
  if (is_missing(token)) return kNaN;
  double number = 0;
  const bool read = value.get_double().get(number) == simdjson::SUCCESS;
  if (read && std::abs(number) <= std::numeric_limits<float>::max()) {
    return static_cast<float>(number);
  }
  float none = 0;
  const bool too_large = begins_number(token) && parse_number(token, none) == Number::kTooLarge;
  refuse(place(token.data()), io::quote(token),
         too_large ? expected_of(Number::kTooLarge) : expected);
}

}  // namespace rwa::formats

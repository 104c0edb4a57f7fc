// src/formats/jsonl_record.h: one line of a file of JSON objects, taken apart.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <simdjson.h>

#include "formats/source.h"

namespace rwa::formats {

// The names under which things stand in the objects.
struct JsonKeys {
  std::string id = "id";
  std::string sequence = {};  // empty: "x", "text" or "seq"
  std::string answer = "y";
};

// Something that is neither a list nor an object.
struct JsonScalar {
  enum class Kind { kWord, kNumber, kMissing };
  Kind kind = Kind::kMissing;
  std::string_view text = {};  // of a string its content; else as it stands there
  float number = 0;            // NaN where it is missing
  const char* at = nullptr;
};

// Pieces of text are valid until the next line is parsed; places are those in the line.
struct JsonRecord {
  enum class Kind {
    kNumbers,  // [[1, 2], …], or of one feature [1, …]
    kLetters,  // "ACGT"
    kWords,    // ["a", "b"]; in "seq" [7, 5], too
  };

  std::string id;
  Kind kind = Kind::kNumbers;
  const char* at = nullptr;    // where the sequence begins
  std::vector<float> numbers;  // [T,D]
  int width = 0;               // D; 0 where there are no steps
  std::string_view letters;
  std::vector<JsonScalar> words;

  bool answered = false, list = false;  // of answers
  std::vector<JsonScalar> answers;      // one, where it is no list; of a list of lists all of them
  int answer_width = 0;                 // in each of these; 1 where it is no such list
  const char* answer_at = nullptr;

  void clear();
  // How long the list is.
  [[nodiscard]] int answer_rows() const {
    return answer_width == 0 ? 0 : static_cast<int>(answers.size()) / answer_width;
  }
};

class JsonParser {
 public:
  JsonParser(const Source& source, JsonKeys keys) : source_(source), keys_(std::move(keys)) {}

  // Throws InputError, by source.refuse(), for what is not such an object. Keys of other names are
  // not looked at.
  void parse(std::string_view line, JsonRecord& record);

 private:
  using Value = simdjson::ondemand::value;

  // Where a place in the padded copy is in the line.
  [[nodiscard]] const char* place(const char* at) const {
    return line_.data() + (at - copy_.data());
  }
  [[noreturn]] void refuse(const char* at, std::string_view found,
                           std::string_view expected) const {
    source_.refuse(line_, at, found, expected);
  }

  void parse_object(simdjson::ondemand::document& document, JsonRecord& record);
  void parse_sequence(std::string_view key, Value value, JsonRecord& record);
  void parse_list(bool words, Value value, JsonRecord& record);
  void parse_step(Value value, JsonRecord& record);
  void parse_answer(Value value, JsonRecord& record);
  void parse_part_of_answer(Value value, JsonRecord& record);
  JsonScalar parse_scalar(Value value) const;
  float parse_number_at(Value value, std::string_view expected) const;
  // Where lists within a list are not as long as the first of them, whose length `width` becomes.
  void check_width(std::string_view token, int found, int& width) const;
  [[noreturn]] void refuse_json(simdjson::error_code error, const char* at) const;

  const Source& source_;
  JsonKeys keys_;
  simdjson::ondemand::parser parser_;
  std::string_view line_;
  std::string copy_;  // of the line: the parser reads beyond its end
  std::set<std::string_view> seen_;
};

}  // namespace rwa::formats

// src/formats/jsonl_record.h: parses one line of a JSON lines file.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <simdjson.h>

#include "formats/sequence.h"
#include "formats/source.h"

namespace rwa::formats {

// The keys of an object.
struct JsonKeys {
  std::string id = "id";
  std::string sequence = {};  // empty: "x", "text" or "seq"
  std::string answer = "y";
};

// A value that is neither a list nor an object.
struct JsonScalar {
  enum class Kind { kWord, kNumber, kMissing };
  Kind kind = Kind::kMissing;
  std::string_view text = {};  // content of a string, or else the token itself
  float number = 0;            // NaN if missing
  const char* at = nullptr;
};

// Views are valid until the next line is parsed; pointers point into the line.
struct JsonRecord {
  enum class Kind {
    kNumbers,  // [[1, 2], …], or [1, …] for one feature
    kLetters,  // "ACGT"
    kWords,    // ["a", "b"]; in "seq" also [7, 5]
  };

  std::string id;
  Kind kind = Kind::kNumbers;
  const char* at = nullptr;       // where the sequence begins
  std::vector<float> numbers;     // [T,D]
  const char* missing = nullptr;  // the first missing number
  int width = 0;                  // D; 0 without steps
  std::string_view letters;
  std::vector<std::int32_t> words;

  bool answered = false, list = false;  // whether there is a target, and whether it is a list
  std::vector<JsonScalar> answers;      // the target's values; nested lists are flattened
  int answer_width = 0;                 // length of each nested list; 1 if not nested
  const char* answer_at = nullptr;

  void clear();
  // Length of the outer list.
  [[nodiscard]] int answer_rows() const {
    return answer_width == 0 ? 0 : static_cast<int>(answers.size()) / answer_width;
  }
};

class JsonParser {
 public:
  // Numbers words in `symbols`.
  JsonParser(const Source& source, JsonKeys keys, Dictionary& symbols)
      : source_(source), keys_(std::move(keys)), symbols_(symbols) {}

  // Throws InputError, through source.refuse(), for a malformed object. Ignores other keys.
  void parse(std::string_view line, JsonRecord& record);

 private:
  using Value = simdjson::ondemand::value;

  // Maps a position in the padded copy to the line.
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
  void add_number(Value value, std::string_view expected, JsonRecord& record) const;
  void parse_answer(Value value, JsonRecord& record);
  void parse_part_of_answer(Value value, JsonRecord& record);
  void add_answer(Value value, JsonRecord& record) const;
  JsonScalar parse_scalar(Value value) const;
  float parse_number_at(Value value, std::string_view expected) const;
  // Sets `width` to the length of the first element; refuses others of another length.
  void check_width(std::string_view token, int found, int& width) const;
  [[noreturn]] void refuse_json(simdjson::error_code error, const char* at) const;

  const Source& source_;
  JsonKeys keys_;
  Dictionary& symbols_;
  simdjson::ondemand::parser parser_;
  std::string_view line_;
  std::string copy_;  // padded copy of the line: the parser reads past the end
  std::set<std::string_view> seen_;
};

}  // namespace rwa::formats

// src/workflows/stream_lines.h: parses the lines of streams, as text or as JSON.
//   0.5,1.25            numbers in the order of the features, with commas, tabs or blanks between
//   GATTACA             symbols: letters, or words if the model's symbols are words; the words of a
//                       text (--tokens words) are found as in training
//   b7,0.5,1.25         the same for the stream "b7"
//                       an empty line, or an id alone: the sequence ends
//   {"id":"b7","x":[0.5,1.25]}   {"text":"GATTACA"}   {"id":"b7"}          the same as JSON
// A first line with the names of the features is a header and sets their order.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "datasets/encoding.h"

namespace rwa::workflows {

// A line of the input, for messages.
struct LinePlace {
  std::string_view text = {};
  std::int64_t number = 0;  // from 1

  // Throws InputError: "stdin:LINE:COLUMN: found FOUND, expected EXPECTED". `at` points into the
  // text; if it is null, there is no column.
  [[noreturn]] void refuse(const char* at, std::string_view found, std::string_view expected) const;
};

// A letter or a word.
struct Letter {
  std::string_view text = {};
  const char* at = nullptr;  // for LinePlace::refuse()
};

// Views are valid until the next line is read.
struct StreamLine {
  enum class Kind { kNothing, kHeader, kSteps, kEnd };
  Kind kind = Kind::kNothing;
  std::optional<std::string> id = {};
  std::vector<float> x = {};         // [steps,D]; NaN: missing
  std::vector<Letter> letters = {};  // instead of x if steps are symbols
  std::deque<std::string> made =
      {};  // texts of letters that differ from the line, as without quotes
};

class LineReader {
 public:
  virtual ~LineReader() = default;
  // Replaces all of `line`. Throws InputError with place.refuse().
  virtual void read(const LinePlace& place, StreamLine& line) = 0;

  // The names of the fields, after the id, as in a header; empty: they are the model's features.
  [[nodiscard]] const std::vector<std::string>& header() const { return header_; }
  // Returns the feature that the names lack, if any, and else reads fields in their order.
  virtual const std::string* set_header(std::vector<std::string> names) {
    header_ = std::move(names);
    return nullptr;
  }

 private:
  std::vector<std::string> header_;
};

// With `id`, the first field of a line is the id of its stream.
std::unique_ptr<LineReader> make_text_lines(const datasets::Encoding& encoding, bool id);
// Reads objects with or without ids.
std::unique_ptr<LineReader> make_json_lines(const datasets::Encoding& encoding);

}  // namespace rwa::workflows

// src/formats/sequence.h: one sequence as read from a file. Numbers are not transformed; symbols
// and labels are indices into a vocabulary that grows while files are read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace rwa::formats {

// A place in a text file, from 1; 0: unknown.
struct Place {
  std::int64_t line = 0, column = 0;
};

struct Sequence {
  std::string id;         // from the file, or else the number of the sequence, from 1
  bool numbered = false;  // the id is such a number
  std::int64_t line = 0;  // first line, from 1; the number of the sequence in files without lines
  int steps = 0;          // T
  std::vector<float> x;   // [T,D] if steps are numbers; NaN: missing
  Place missing = {};     // of the first missing value of x
  std::vector<std::int32_t> symbols;  // [T], in Vocabulary::symbols, if steps are symbols
  // Targets of the kind Schema::target; empty if the file has none.
  std::vector<std::int32_t> labels;  // in Vocabulary::labels: one, [T], or any number
  std::vector<float> values;         // [targets] or [T,targets]
  // [T] of a series that may be forecast: seconds since 1970, or numbers. Empty if the file has
  // none.
  std::vector<double> times;
  std::vector<float> frame;  // of a window of a series, see datasets/forecast.h
  // Whether numbers were missing and are filled in: those of a series, as x, or the values of a
  // window. Empty: none were.
  std::vector<bool> filled;

  void clear();  // keeps the capacity
  // Sets the id of a sequence that has none in its file.
  void set_number(std::int64_t number);
};

// Numbers words in the order of first appearance.
class Dictionary {
 public:
  // Returns the number of a word; adds it if it is new.
  std::int32_t number(std::string_view word);
  [[nodiscard]] const std::vector<std::string>& words() const { return words_; }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view word) const {
      return std::hash<std::string_view>()(word);
    }
  };
  std::vector<std::string> words_;
  std::unordered_map<std::string, std::int32_t, Hash, std::equal_to<>> numbers_;
};

// Shared by all files of one data set.
struct Vocabulary {
  Dictionary symbols, labels;
};

}  // namespace rwa::formats

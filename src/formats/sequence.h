// src/formats/sequence.h: one sequence as a file has it: numbers as they stand there, symbols and
// labels as numbers in a vocabulary that grows while files are read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace rwa::formats {

struct Sequence {
  std::string id;         // from the file; where it has none, the number of the sequence, from 1
  std::int64_t line = 0;  // where it begins, from 1; in files without lines, its number
  int steps = 0;          // T
  std::vector<float> x;   // [T,D], where steps are numbers; NaN: missing
  std::vector<std::int32_t> symbols;  // [T], in Vocabulary::symbols, where they are symbols
  // What it should be answered with, as Schema::target says; empty where the file does not say.
  std::vector<std::int32_t> labels;  // in Vocabulary::labels: one, [T], or any number of them
  std::vector<float> values;         // [targets] or [T,targets]

  void clear();  // keeps the memory
};

// Words numbered in the order in which they are first seen.
class Dictionary {
 public:
  // The number of a word, which is added where it is new.
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

// SharedVocabulary by all files of one data set.
struct Vocabulary {
  Dictionary symbols, labels;
};

}  // namespace rwa::formats

// src/formats/sequence.h: one sequence as read from a file. Numbers are not transformed; symbols
// and labels are indices into a vocabulary that grows while files are read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rwa/errors.h"

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

// Thrown for a word that a dictionary has no room for. open() adds the place.
class FullDictionary : public InputError {
 public:
  using InputError::InputError;
};

// Numbers words in the order of first appearance. Their number is limited, since they are kept, far
// above what a network is made for.
class Dictionary {
 public:
  static constexpr std::size_t kMostWords = std::size_t{1} << 20;
  static constexpr std::size_t kMostBytes = std::size_t{1} << 24;  // of all words

  // For messages: what the words are, and how to have fewer of them.
  Dictionary(std::string_view things, std::string_view advice) : things_(things), advice_(advice) {}

  // Returns the number of a word; adds it if it is new. Throws FullDictionary.
  std::int32_t number(std::string_view word);
  [[nodiscard]] const std::vector<std::string>& words() const& { return words_; }
  [[nodiscard]] std::vector<std::string> words() && { return std::move(words_); }

 private:
  // The place in slots_ of the number of a word; -1 stands there if the word is new.
  [[nodiscard]] std::size_t slot_of(std::string_view word) const;
  void add_slots();
  void require_room(std::string_view word) const;

  std::string_view things_, advice_;
  std::vector<std::string> words_;
  std::size_t bytes_ = 0;
  // A hash table of numbers, at most half full. One of words would keep each twice.
  std::vector<std::int32_t> slots_;
};

// Shared by all files of one data set.
struct Vocabulary {
  Dictionary symbols{"symbols", "use a smaller --kmer, or no --tokens words"};
  Dictionary labels{"labels", "choose another --target"};
};

}  // namespace rwa::formats

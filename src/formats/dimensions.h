// src/formats/dimensions.h: collects the numbers of a sequence one dimension after the other, as
// .ts, ARFF and .tsf store them.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "formats/headed_lines.h"
#include "formats/sequence.h"

namespace rwa::formats {

// Of one line: a missing number may take a single byte there, but takes eight in memory.
inline constexpr std::size_t kMostOfLine = std::size_t{1} << 24;

class Dimensions {
 public:
  void clear();
  // Begins the next dimension. All must have the same number of steps in the end.
  void begin();
  // Adds a number, NaN if missing, that was found at `at`. Returns false if there are too many.
  [[nodiscard]] bool add(float number, const char* at) {
    if (numbers_.size() == kMostOfLine) return false;
    if (std::isnan(number) && steps() < missing_step_) {
      missing_step_ = steps();
      missing_ = at;
    }
    numbers_.push_back(number);
    return true;
  }
  [[nodiscard]] std::size_t steps() const { return numbers_.size() - begin_; }  // of this dimension
  // Removes the steps at the end that miss all their values.
  void cut_missing_end();
  // Where the first missing value by step, then by dimension, was found; nullptr: nowhere.
  [[nodiscard]] const char* missing() const { return missing_step_ < steps() ? missing_ : nullptr; }
  // Sets x and its number of steps.
  void put(Sequence& sequence) const;

 private:
  static constexpr std::size_t kNever = std::numeric_limits<std::size_t>::max();

  std::vector<float> numbers_;  // [D,T]
  std::size_t count_ = 0;       // D
  std::size_t begin_ = 0;       // of the current dimension
  std::size_t missing_step_ = kNever;
  const char* missing_ = nullptr;
};

// Refuses the number at `at`, since add() has: there are too many.
[[noreturn]] void refuse_numbers(const HeadedLines& lines, const char* at);

}  // namespace rwa::formats

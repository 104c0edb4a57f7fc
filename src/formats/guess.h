// src/formats/guess.h: what is guessed from the beginning of a file.
#pragma once

#include <cstdint>
#include <set>
#include <string_view>

#include "formats/schema.h"
#include "formats/source.h"

namespace rwa::formats {

// Of what stands from here on in the source, the lines that guesses are made from, without a byte
// order mark: the whole ones of the first MiB; where the first is longer, that one.
std::string_view beginning(Source& source);

// Takes the first line, without its end, off `lines`; false where there is none.
bool next_line(std::string_view& lines, std::string_view& line);

// Whether answers are names or numbers. Names are written as numbers too: those that are whole,
// few, and come again.
class TargetGuess {
 public:
  void see(std::string_view answer);  // one that is missing says nothing
  // kClass or kNumbers; kNone where nothing was seen.
  [[nodiscard]] Target target() const;

 private:
  static constexpr std::size_t kMostClasses = 20;

  std::int64_t seen_ = 0;
  bool numbers_ = true, whole_ = true;
  std::set<float> distinct_;  // no more than one beyond kMostClasses
};

}  // namespace rwa::formats

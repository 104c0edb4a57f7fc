// src/datasets/widening.h: what a network may see of a step beside the step itself: the steps before it, and
// where in the sequence it stands. An average over steps knows neither by itself. Nothing after the step
// is looked at, so that a stream sees the same.
#pragma once

#include <cstddef>

#include "formats/sequence.h"

namespace rwa::datasets {

struct Widening {
  int context = 1;    // steps seen at once: the step itself and those before it
  int positions = 0;  // numbers that say where it stands; 0: none
  int span = 0;       // the steps that these are spread over: the longest sequence of the training

  [[nodiscard]] bool is_needed() const { return context > 1 || positions > 0; }
  // Of a step of `width` numbers, or of one of so many symbols, which becomes a one-hot row.
  [[nodiscard]] std::size_t inputs(std::size_t width) const;
  // Writes the row of step t of an encoded sequence, [inputs(width)]: the step, the one before it, …,
  // zeros where there is none; then a hill for each position, highest where it is nearest. `place` is
  // the number of the step in its sequence, of which `encoded` may have no more than the end.
  void write_row(const formats::Sequence& encoded, std::size_t width, int t, int place,
                 float* row) const;

  friend bool operator==(const Widening&, const Widening&) = default;
};

}  // namespace rwa::datasets

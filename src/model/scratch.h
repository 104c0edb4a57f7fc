// src/model/scratch.h: room for [steps, batch, width] arrays in scratch memory, which grows and is
// used again.
#pragma once

#include "backend/array.h"

namespace rwa {

inline std::size_t count_of(const Rows& rows, int width) {
  return static_cast<std::size_t>(rows.steps) * static_cast<std::size_t>(rows.batch) *
         static_cast<std::size_t>(width);
}

template <class Real>
Real* room(Array<Real>& array, const Rows& rows, int width) {
  array.reserve(count_of(rows, width));
  return array.data();
}

// For a gradient, which is added to what is there.
template <class Real>
Real* cleared_room(Array<Real>& array, const Rows& rows, int width) {
  Real* values = room(array, rows, width);
  array.clear(count_of(rows, width));
  return values;
}

}  // namespace rwa

// src/cells/cells-inl.h: all cells, for a backend to include inside its namespace, and the one place
// that turns the value of a description into a type: its number in list-inl.h.
#include "cells/common-inl.h"

// These use it.
#include "cells/average-inl.h"

template <int kNumber, class F>
struct ListedCell;

// What a cell's header ends with: gives it the next number. This file may be included several times
// in one source file, so numbers are counted from here.
inline constexpr int kBeforeCells = __COUNTER__;
#define RWA_LIST_CELL(Name)                              \
  template <class F>                                     \
  struct ListedCell<__COUNTER__ - kBeforeCells - 1, F> { \
    using Type = Name<F>;                                \
    static_assert(check_cell<Type>());                   \
  }

#include "cells/list-inl.h"

inline constexpr int kCellCount = __COUNTER__ - kBeforeCells - 1;
#undef RWA_LIST_CELL

// Calls visitor.operator()<Cell>() with the cell of that number and activation.
template <int kNumber = 0, class Visitor>
decltype(auto) visit_cell(rwa::Cell cell, rwa::Activation activation, Visitor&& visitor) {
  if constexpr (kNumber + 1 < kCellCount) {
    if (static_cast<int>(cell) != kNumber) {
      return visit_cell<kNumber + 1>(cell, activation, visitor);
    }
  }
  return activation == rwa::Activation::kIdentity
             ? visitor.template operator()<typename ListedCell<kNumber, Identity>::Type>()
             : visitor.template operator()<typename ListedCell<kNumber, Tanh>::Type>();
}

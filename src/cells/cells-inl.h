// src/cells/cells-inl.h: all cells, for a backend to include inside its namespace, and the one
// place that maps a value of rwa::Cell, a cell's number in list-inl.h, to the cell's type.
#include "cells/common-inl.h"

// Uses common-inl.h.
#include "cells/average-inl.h"

template <int kNumber, class F>
struct ListedCell;

// Ends a cell's header and gives the cell the next number. Numbers count from kBeforeCells, because
// a source file may include this file several times.
inline constexpr int kBeforeCells = __COUNTER__;
// NOLINTBEGIN(bugprone-macro-parentheses): a type cannot have any
#define RWA_LIST_CELL(Name)                              \
  template <class F>                                     \
  struct ListedCell<__COUNTER__ - kBeforeCells - 1, F> { \
    using Type = Name<F>;                                \
    static_assert(check_cell<Type>());                   \
  }
// NOLINTEND(bugprone-macro-parentheses)

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

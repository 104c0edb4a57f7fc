// src/cells/cells-inl.h: all cells, for a backend to include inside its namespace, and the one
// place that turns the names of a description into types.
#include "cells/common-inl.h"

// These use it.
#include "cells/average-inl.h"
#include "cells/gru-inl.h"
#include "cells/lstm-inl.h"
#include "cells/rwa-inl.h"
#include "cells/rwa_forget-inl.h"

// Calls visitor.operator()<Cell>() with the cell of that kind and activation.
template <class Visitor>
decltype(auto) visit_cell(rwa::Cell cell, rwa::Activation activation, Visitor&& visitor) {
  const auto with = [&]<class F>() -> decltype(auto) {
    switch (cell) {
      case rwa::Cell::kRwaForget:
        return visitor.template operator()<RwaForget<F>>();
      case rwa::Cell::kRwaDecay:
        return visitor.template operator()<RwaDecay<F>>();
      case rwa::Cell::kLstm:
        return visitor.template operator()<Lstm<F>>();
      case rwa::Cell::kGru:
        return visitor.template operator()<Gru<F>>();
      case rwa::Cell::kRwa:
        break;
    }
    return visitor.template operator()<Rwa<F>>();
  };
  return activation == rwa::Activation::kIdentity ? with.template operator()<Identity>()
                                                  : with.template operator()<Tanh>();
}

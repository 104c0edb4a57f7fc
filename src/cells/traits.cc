#include "cells/traits.h"

#include <algorithm>

namespace rwa {
namespace {
#define RWA_CELL inline
#include "cells/cells-inl.h"
#undef RWA_CELL

template <class C>
constexpr CellTraits kTraits = {C::kGates,        C::kInputs,  C::kState,      C::kCarry,
                                C::kLearnedStart, C::kHasBias, C::kInitialBias};
}  // namespace

int CellTraits::biases() const {
  return static_cast<int>(std::count(has_bias.begin(), has_bias.end(), true));
}

const CellTraits& cell_traits(Cell cell) {
  return visit_cell(cell, Activation::kTanh,
                    []<class C>() -> const CellTraits& { return kTraits<C>; });
}

}  // namespace rwa

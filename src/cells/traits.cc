#include "cells/traits.h"

namespace rwa {
namespace {
#define RWA_CELL inline
#include "cells/cells-inl.h"
#undef RWA_CELL

template <class C>
constexpr CellTraits kTraits = {C::kGates,        C::kInputs,         C::kState,
                                C::kCarry,        C::kLearnedStart,   Parts(C::kSeesX),
                                Parts(C::kSeesH), Parts(C::kHasBias), C::kInitialBias,
                                C::kSpreadBias,   C::kShare >= 0};
}  // namespace

const CellTraits& cell_traits(Cell cell) {
  return visit_cell(cell, Activation::kTanh,
                    []<class C>() -> const CellTraits& { return kTraits<C>; });
}

}  // namespace rwa

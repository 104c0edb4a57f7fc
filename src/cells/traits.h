// src/cells/traits.h: what the rest of the project may know of a cell, short of its formula.
#pragma once

#include <span>

#include "rwa/types.h"

namespace rwa {

struct CellTraits {
  int gates;                            // pre-activations that see x and h; they come first
  int inputs;                           // pre-activations that see x only
  int state;                            // numbers a unit carries from step to step, besides h
  int carry;                            // numbers backward carries per unit, besides dh
  bool learned_start;                   // h_0 = f(s_0) with s_0 trained; else 0
  std::span<const bool> has_bias;       // [gates + inputs]
  std::span<const float> initial_bias;  // [gates + inputs]

  [[nodiscard]] int preactivations() const { return gates + inputs; }
  [[nodiscard]] int biases() const;  // how many pre-activations have one
};

const CellTraits& cell_traits(Cell cell);

}  // namespace rwa

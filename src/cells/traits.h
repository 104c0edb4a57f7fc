// src/cells/traits.h: what the rest of the project may know of a cell, short of its formula.
#pragma once

#include <algorithm>
#include <span>

#include "rwa/types.h"

namespace rwa {

// A pre-activation is a sum of up to three parts, W x + W h + b. Which of them each has is a table;
// its block of weights or biases is its number among those that have the part.
class Parts {
 public:
  explicit constexpr Parts(std::span<const bool> has) : has_(has) {}

  [[nodiscard]] int count() const { return before(static_cast<int>(has_.size())); }
  [[nodiscard]] bool has(int preactivation) const {
    return has_[static_cast<std::size_t>(preactivation)];
  }
  // The block of a pre-activation that has one.
  [[nodiscard]] int before(int preactivation) const {
    return static_cast<int>(std::count(has_.begin(), has_.begin() + preactivation, true));
  }

 private:
  std::span<const bool> has_;  // [gates + inputs]
};

struct CellTraits {
  int gates;           // pre-activations that the product with h makes; they come first
  int inputs;          // those that do not see h
  int state;           // numbers a unit carries from step to step, besides h
  int carry;           // numbers backward carries per unit, besides dh
  bool learned_start;  // h_0 = f(s_0) with s_0 trained; else 0
  Parts x, h, bias;
  std::span<const float> initial_bias;  // [gates + inputs]
  int spread_bias;  // whose bias starts with time scales spread over a sequence; -1: none
  bool averages;    // its state is a running average, of which each step has a share

  [[nodiscard]] int preactivations() const { return gates + inputs; }
};

const CellTraits& cell_traits(Cell cell);

}  // namespace rwa

// src/cells/traits.h: what the rest of the project may know of a cell, short of its formula.
#pragma once

#include <algorithm>
#include <span>
#include <string_view>

#include "rwa/cells.h"

namespace rwa {

// A pre-activation is a sum of up to three terms, W x + W h + b. Which pre-activations have a term
// is a table; the block of weights or biases of one is its number among those that have the term.
class Terms {
 public:
  explicit constexpr Terms(std::span<const bool> has) : has_(has) {}

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

struct CellTraits : CellInfo {
  int gates;           // pre-activations that the product with h makes; they come first
  int inputs;          // those that do not see h
  int state;           // numbers a unit carries from step to step, besides h
  int carry;           // numbers backward carries per unit, besides dh
  bool learned_start;  // h_0 = f(s_0) with s_0 trained; else 0
  Terms x, h, bias;
  std::span<const float> initial_bias;  // [gates + inputs]
  int spread_bias;           // whose bias starts with time scales spread over a sequence; -1: none
  bool state_is_output;      // the state is h itself
  std::string_view letters;  // of the pre-activations, in the formula
  std::span<const char* const> state_names;  // [state]
  std::span<const char* const> carry_names;  // [carry], of the state
  bool tuned;                                // `rwa tune` tries it
  const char* torch;                         // the class of torch.nn that it is with tanh, or null
  // [gates + inputs], the layer of torch_module.py.in that makes each pre-activation; empty: that
  // file has no text for this cell.
  std::span<const char* const> torch_layers;

  [[nodiscard]] int preactivations() const { return gates + inputs; }
  // Whether the gate with spread biases sees neither x nor h: its bias is a constant of each unit,
  // which ModelConfig::learned_decay may freeze.
  [[nodiscard]] bool has_constant_gate() const {
    return spread_bias >= 0 && !x.has(spread_bias) && !h.has(spread_bias);
  }
};

const CellTraits& cell_traits(Cell cell);

}  // namespace rwa

// src/cells/traits.h: everything about a cell except its formula, for the rest of the project.
#pragma once

#include <algorithm>
#include <span>
#include <string_view>

#include "rwa/cells.h"

namespace rwa {

// A pre-activation is a sum of up to three terms, W x + W h + b. This table says which
// pre-activations have a given term. Only those have a block of weights or biases, in their order.
class Terms {
 public:
  explicit constexpr Terms(std::span<const bool> has) : has_(has) {}

  [[nodiscard]] int count() const { return before(static_cast<int>(has_.size())); }
  [[nodiscard]] bool has(int preactivation) const {
    return has_[static_cast<std::size_t>(preactivation)];
  }
  // Index of a pre-activation's block, if it has one.
  [[nodiscard]] int before(int preactivation) const {
    return static_cast<int>(std::count(has_.begin(), has_.begin() + preactivation, true));
  }

 private:
  std::span<const bool> has_;  // [gates + inputs]
};

struct CellTraits : CellInfo {
  int gates;           // pre-activations of the product with h; they come first
  int inputs;          // pre-activations that see x only
  int state;           // values a unit carries from step to step, besides h
  int carry;           // values backward carries per unit, besides dh
  bool learned_start;  // h_0 = f(s_0) with a trained s_0; else 0
  Terms x, h, bias;
  std::span<const float> initial_bias;  // [gates + inputs]
  int spread_bias;           // pre-activation whose bias starts with spread time scales; -1: none
  bool state_is_output;      // the state is h itself
  std::string_view letters;  // of the pre-activations, in the formula
  std::span<const char* const> state_names;  // [state]
  std::span<const char* const> carry_names;  // [carry], of the state
  bool tuned;                                // `rwa tune` tries it
  const char* torch;                         // the torch.nn class it equals with tanh, or null
  // [gates + inputs], the layer of torch_module.py.in that computes each pre-activation; empty:
  // that file has no text for this cell.
  std::span<const char* const> torch_layers;

  [[nodiscard]] int preactivations() const { return gates + inputs; }
  // Whether the gate with spread biases sees neither x nor h. Its bias is then one constant per
  // unit, which ModelConfig::learned_decay can freeze.
  [[nodiscard]] bool has_constant_gate() const {
    return spread_bias >= 0 && !x.has(spread_bias) && !h.has(spread_bias);
  }
};

const CellTraits& cell_traits(Cell cell);

}  // namespace rwa

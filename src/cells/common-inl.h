// src/cells/common-inl.h: what the cells share. A backend includes the -inl.h files of this folder
// inside its own namespace, once per instruction set: V is double in the reference, a vector on the
// CPU, float in a CUDA thread. For its V the backend provides + - * / and comparisons, V(number),
// tanh, exp, log1p, abs and select(mask, yes, no). It defines RWA_CELL, the specifiers of a
// function.

// The defaults of a cell.
struct UsualCell {
  static constexpr int kShare = -1;             // keeps no average
  static constexpr bool kLearnedStart = false;  // h_0 = 0
  static constexpr int kSpreadBias = -1;        // no bias starts with spread time scales
  static constexpr bool kCarriesOutput = false;
  static constexpr bool kTuned = false;           // `rwa tune` does not try it
  static constexpr const char* kTorch = nullptr;  // not a class of torch.nn
  // torch_module.py.in has no text for it: its PyTorch module is generated from the formula.
  static constexpr const char* const* kTorchLayers = nullptr;
};

// What the backends assume of a cell. A new cell that needs more has to extend both.
template <class C>
constexpr bool check_cell() {
  static_assert(C::kGates >= 1 && C::kInputs >= 0 && C::kInputs <= 1);
  static_assert(C::kState >= 1 && C::kCarry >= 1);
  // A letter of the formula for each pre-activation, and a name for each value of the state and of
  // what backward carries.
  static_assert(sizeof(C::kLetters) == C::kGates + C::kInputs + 1);
  static_assert(sizeof(C::kStateNames) == C::kState * sizeof(const char*));
  static_assert(sizeof(C::kCarryNames) == C::kCarry * sizeof(const char*));
  // One value per gate, then the first value of the state, which backward needs from the previous
  // step. Backward overwrites them with the gradients of the pre-activations.
  static_assert(C::kSaved == C::kGates + 1 && C::kMemory == C::kGates);
  // Index of the saved value that is the step's share of the running average; -1: none.
  static_assert(C::kShare >= -1 && C::kShare < C::kSaved);
  // If the state is the output itself, the first carried value is a part of the output's gradient.
  static_assert(!C::kCarriesOutput || C::kState == 1);
  return true;
}

// An activation, and its slope as a function of its value.
struct Tanh {
  template <class V>
  RWA_CELL static V apply(V x) {
    return tanh(x);
  }
  template <class V>
  RWA_CELL static V slope(V y) {
    return V(1) - y * y;
  }
};

struct Identity {
  template <class V>
  RWA_CELL static V apply(V x) {
    return x;
  }
  template <class V>
  RWA_CELL static V slope(V) {
    return V(1);
  }
};

// A compensated sum: a value and the rounding error of its last addition. In averages over a
// million steps, increments would otherwise be rounded away.
template <class V>
struct Sum {
  V hi, lo;
};

// a + b exactly, as a rounded sum and its error (Knuth).
template <class V>
RWA_CELL Sum<V> two_sum(V a, V b) {
  const V sum = a + b;
  const V part = sum - a;
  return {sum, (a - (sum - part)) + (b - part)};
}

// a / b for 1 ≤ b ≤ 2. A backend may have a faster one, as of sigmoid().
template <class V>
RWA_CELL V quotient(V a, V b) {
  return a / b;
}

// sigmoid(-x) and log(sigmoid(x)) from e = exp(-|x|), which cannot overflow.
template <class V>
struct Forgetting {
  V share, log_kept;
};
template <class V>
RWA_CELL Forgetting<V> forgetting(V x) {
  const V e = exp(-abs(x));
  return {quotient(select(x >= V(0), e, V(1)), V(1) + e), select(x >= V(0), V(0), x) - log1p(e)};
}

// sigmoid(x) from e = exp(-|x|), which cannot overflow.
template <class V>
RWA_CELL V sigmoid(V x) {
  const V e = exp(-abs(x));
  return quotient(select(x >= V(0), V(1), e), V(1) + e);
}
